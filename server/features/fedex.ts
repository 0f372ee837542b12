import { addressOf, type Party } from "@footprint/contract/address.ts";
import { fedex, openStatuses } from "@footprint/contract/fedex.ts";
import { refusal } from "@footprint/contract/refusal.ts";
import { and, eq, isNull, ne, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { record, recordRead } from "../accounts/audit.ts";
import type { Actor } from "../accounts/sessions.ts";
import { refuseIfChanged, versionOf } from "../accounts/versions.ts";
import type { Database, Transaction } from "../db/database.ts";
import { isOneOfHidden } from "../db/prepared.ts";
import { presentFedexOrder } from "../db/presenters.ts";
import { customers, fedexOrders, files, logs, transfers } from "../db/schema.ts";
import { attach, openFile, remove as removeFile } from "../http/files.ts";
import { routes } from "../http/routes.ts";
import { countsByKind, figuresByPeriod } from "../lists/counters.ts";
import { exportList, inDollars } from "../lists/export.ts";
import { type Filters, having, listOf } from "../lists/list.ts";
import { pageOf } from "../lists/paging.ts";
import { addressColumns, presentAuthor } from "../lists/presenters.ts";
import { searchedFedexOrders } from "../lists/searched.ts";
import { because } from "../money/corrections.ts";
import { claimOf, claimOrder, isClaimed, releaseOrder, unclaimed } from "../money/fedex-claims.ts";
import { similarPrices } from "../money/fedex-prices.ts";
import { aboutFedexOrder, fedexOrderChanged, telling } from "../money/happenings.ts";
import { dollars, move } from "../money/ledger.ts";
import { chargedFedexOrder, updatedFedexOrder } from "../money/trade-log.ts";

type FedexRow = typeof fedexOrders.$inferSelect;

export const fedexRoutes = routes(fedex, {
  async list({ db, query, actor }) {
    const { rows, ...counts } = await pageOf(db, { ...list, searched: searchedFedexOrders(actor) }, query);
    return { docs: rows.map((row) => present(row, actor)), totalDocs: counts.total, ...counts };
  },

  async read({ db, params, actor }) {
    const [found] = await list.select(db).where(eq(fedexOrders.id, params.id));
    if (!found) throw refusal(404, "This order does not exist");
    const { order, user } = found;
    const [[customer], charge, timeline, prices, sameFile] = await Promise.all([
      db.select({ balance: customers.balanceCents }).from(customers).where(eq(customers.id, order.customerId)),
      chargeOf(db, order),
      timelineOf(db, order),
      similarPrices(db, order),
      sameFileAs(db, order),
    ]);
    return {
      order: present(found, actor),
      customer: { _id: user._id, username: user.username, balance: customer?.balance ?? 0 },
      charge,
      timeline,
      ...prices,
      sameFile,
    };
  },

  export: (call) => exportList(call, list),

  async stats({ db, config, now }) {
    const counts = await countsByKind(db, "fedex orders");
    const { Pending: pending = 0, Completed: completed = 0, Cancelled: cancelled = 0 } = counts;
    const { "In Process": inProcess = 0, "Awaiting User Input": awaitingInput = 0 } = counts;
    const { ofKind } = await figuresByPeriod(db, ["closed fedex orders"], config, now());
    const completedToday = ofKind("Completed").today.count;
    const cancelledThisWeek = ofKind("Cancelled").week.count;
    return { pending, completed, cancelled, inProcess, awaitingInput, completedToday, cancelledThisWeek };
  },

  async update({ params, body, file, actor, seen, transaction }) {
    const { status, note, price, remove } = body;
    const given = { note: note || undefined, price, file };
    const twice = remove.find((field) => given[field] !== undefined);
    if (twice) throw refusal(400, `The ${twice} cannot be both given and removed`);
    return transaction(async (tx) => {
      const before = await lockOrder(tx, params.id);
      const stored = await fileOf(tx, before);
      await refuseIfChanged(tx, seen, before.id, compared(before), { ...editable(before), file: stored });
      const after = {
        status: status ?? before.status,
        note: remove.includes("note") ? "" : (note ?? before.note),
        priceCents: remove.includes("price") ? null : (price ?? before.priceCents),
        fileId: remove.includes("file") ? null : file ? await attach(tx, file) : before.fileId,
      };
      if (before.chargedAt && after.priceCents !== before.priceCents)
        throw refusal(409, "This order is charged: reverse the charge before you change its price");
      const changesFile = after.fileId !== before.fileId;
      const entry = updatedFedexOrder(
        before,
        after,
        changesFile ? { from: stored?.name ?? null, to: file?.name ?? null } : undefined,
      );
      const reply = { message: "Order updated", version: versionOf(compared(after)) };
      if (!entry) return reply;

      const changesStatus = after.status !== before.status;
      const closedAt = openStatuses.some((open) => open === after.status) ? null : sql`now()`;
      await tx
        .update(fedexOrders)
        .set({ ...after, ...(changesStatus && { ...unclaimed, closedAt }) })
        .where(eq(fedexOrders.id, before.id));
      if (changesFile && before.fileId) await removeFile(tx, before.fileId);
      await record(tx, actor, ...telling(entry, await fedexOrderChanged(tx, { ...before, ...after })));
      const sameFile = file ? await sameFileAs(tx, after) : [];
      const warning =
        changesStatus && after.status === "Cancelled" && before.chargedAt ? stillCharged(before) : undefined;
      return { ...reply, ...(sameFile.length > 0 && { sameFile }), ...(warning && { warning }) };
    });
  },

  async file({ db, params, actor }) {
    const [order] = await db.select().from(fedexOrders).where(eq(fedexOrders.id, params.id));
    if (!order) throw refusal(404, "This order does not exist");
    if (!order.fileId) throw refusal(404, "This order has no file");
    const file = await openFile(db, order.fileId);
    await recordRead(db, actor, "fedex", `Downloaded ${file.name} of Fedex order ${order.uuid}`, {
      about: { kind: "fedex order", id: order.id, customerId: order.customerId },
    });
    return file;
  },

  async claim({ params, actor, transaction }) {
    return transaction(async (tx) => {
      const claim = await claimOrder(tx, await lockOrder(tx, params.id), actor);
      return { message: "The order is yours for 15 minutes", claim };
    });
  },

  async release({ params, actor, transaction }) {
    return transaction(async (tx) => {
      await releaseOrder(tx, await lockOrder(tx, params.id), actor);
      return { message: "Order released" };
    });
  },

  async charge({ params, body: { reason, price }, actor, transaction }) {
    return transaction(async (tx) => {
      const order = await lockOrder(tx, params.id);
      const { customerId, priceCents } = order;
      if (order.chargedAt) throw refusal(409, "This order is already charged");
      if (order.status === "Cancelled") throw refusal(409, "This order is cancelled");
      if (!priceCents) throw refusal(409, "This order has no price to charge");
      if (price !== undefined && price !== priceCents)
        throw refusal(409, `The price is ${dollars(priceCents)} by now: look at it again`);
      const movement = {
        customerId,
        cents: -priceCents,
        kind: "purchase",
        reference: order.id,
        actor,
        reason,
      } as const;
      const customer = await move(tx, movement);
      await tx.update(fedexOrders).set({ chargedAt: sql`now()` }).where(eq(fedexOrders.id, order.id));
      const entry = because(reason, chargedFedexOrder({ ...order, priceCents }, customer));
      await record(tx, actor, ...telling(entry, aboutFedexOrder("fedex-order.changed", order, customer)));
      const { username, balanceCents } = customer;
      return {
        message: `${dollars(priceCents)} charged to ${username}, whose balance is now ${dollars(balanceCents)}`,
      };
    });
  },
});

/** Whether the money goes back is for people to decide, since the label may be in use. */
const stillCharged = ({ priceCents }: FedexRow) =>
  `This order is cancelled and still charged: reverse the charge to give ${dollars(priceCents ?? 0)} back`;

type Status = FedexRow["status"];

const havingStatus = (status: Status) => ({
  ...having(fedexOrders.status, status),
  counted: { subject: "fedex orders" as const, kinds: [status] },
});

const isOpen = {
  column: fedexOrders.status,
  where: openStatuses.map((status) => isOneOfHidden(fedexOrders.status, [status])),
  counted: { subject: "fedex orders" as const, kinds: openStatuses },
};

const storedFile = { _id: files.id, name: files.name, size: files.size };

const list = listOf({
  name: "fedex-orders",
  table: fedexOrders,
  counted: { subject: "fedex orders" },
  searched: searchedFedexOrders({ role: "admin" }),
  filters: ({ customer, filter }: Filters<typeof fedex.list>) => [
    customer && having(fedexOrders.customerId, customer),
    filter !== "All" && (filter === "Open" ? isOpen : havingStatus(filter)),
  ],
  select: (db) =>
    db
      .select({
        order: fedexOrders,
        isClaimed,
        user: { _id: customers.id, username: customers.username, discordId: customers.discordId },
        file: storedFile,
      })
      .from(fedexOrders)
      .innerJoin(customers, eq(customers.id, fedexOrders.customerId))
      .leftJoin(files, eq(files.id, fedexOrders.fileId))
      .$dynamic(),
  columns: {
    Id: fedexOrders.id,
    Order: fedexOrders.uuid,
    Created: fedexOrders.createdAt,
    Customer: customers.username,
    "Discord id": customers.discordId,
    Status: fedexOrders.status,
    Price: inDollars(fedexOrders.priceCents),
    Note: fedexOrders.note,
    File: files.name,
    Charged: fedexOrders.chargedAt,
    Weight: fedexOrders.weight,
    "Weight unit": fedexOrders.weightUnit,
    Length: fedexOrders.length,
    Width: fedexOrders.width,
    Height: fedexOrders.height,
    "Dimension unit": fedexOrders.dimensionUnit,
    "Special notes": fedexOrders.specialNotes,
    ...addressColumns(fedexOrders),
  },
});

async function lockOrder(tx: Transaction, id: string) {
  const isIt = eq(fedexOrders.id, id);
  const [found] = await tx.select({ order: fedexOrders, isClaimed }).from(fedexOrders).where(isIt).for("update");
  if (!found) throw refusal(404, "This order does not exist");
  return { ...found.order, isClaimed: found.isClaimed };
}

async function fileOf(tx: Transaction, { fileId }: FedexRow) {
  const [file] = fileId ? await tx.select(storedFile).from(files).where(eq(files.id, fileId)) : [];
  return file ?? null;
}

type Edited = Pick<FedexRow, "status" | "note" | "priceCents" | "fileId">;

/** The fields that an update can change, in the wire's form. */
const editable = ({ status, note, priceCents }: Edited) => ({
  status,
  note,
  price: priceCents === null ? null : priceCents / 100,
});

/** The same for comparing; a claim does not count as a change. */
const compared = (order: Edited) => ({
  ...editable(order),
  status: order.status === "In Process" ? "Pending" : order.status,
  file: order.fileId,
});

type Listed = Awaited<ReturnType<typeof list.select>>[number];

const present = ({ order, isClaimed, user, file }: Listed, { role }: Actor) => ({
  ...presentFedexOrder(order),
  file,
  version: versionOf(compared(order)),
  claim: claimOf({ ...order, isClaimed }),
  user: role === "admin" ? user : { ...user, discordId: "***" },
  from: addressOf<Party>(order, "from"),
  to: addressOf<Party>(order, "to"),
});

/** The transfer that paid for an order, unless it was reversed. */
async function chargeOf(db: Database, { id }: FedexRow) {
  const [row] = await db
    .select()
    .from(transfers)
    .where(and(eq(transfers.reference, id), eq(transfers.kind, "purchase"), isNull(transfers.reversedBy)));
  return row ? { ...row, transfer: row.id, amount: -row.amountCents, by: presentAuthor(row) } : null;
}

const mostSame = 5;

/** Other orders with the same file, byte for byte. */
async function sameFileAs(db: Database | Transaction, { fileId }: Pick<FedexRow, "fileId">) {
  if (!fileId) return [];
  const same = alias(files, "same");
  return db
    .select({ _id: fedexOrders.id, uuid: fedexOrders.uuid, receiver: fedexOrders.toName })
    .from(files)
    .innerJoin(same, and(eq(same.contentHash, files.contentHash), ne(same.id, files.id)))
    .innerJoin(fedexOrders, eq(fedexOrders.fileId, same.id))
    .where(eq(files.id, fileId))
    .limit(mostSame);
}

/** More would make reading the order slow. */
const mostEntries = 100;

/** The log's entries about an order, always found by their own index. */
async function timelineOf(db: Database, { id, createdAt }: FedexRow) {
  const rows = await db
    .select()
    .from(logs)
    .where(and(having(logs.subjectId, id).where, sql`${logs.subjectId} is not null`))
    .orderBy(sql`${logs.subjectId} desc, ${logs.createdAt} desc, ${logs.id} desc`)
    .limit(mostEntries);
  const entries = rows.reverse().flatMap((row) => entryOf(row) ?? []);
  return [{ _id: id, what: "created" as const, by: null, createdAt }, ...entries];
}

type Told = {
  status?: string;
  price?: number | null;
  note?: string;
  file?: string | null;
  claimedBy?: string | null;
  charged?: number | null;
};

/** A log row as staff may see it; undefined for the order's arrival, and for mere reads. */
function entryOf(row: typeof logs.$inferSelect) {
  const [before, after] = [row.before as Told | null, row.after as Told | null];
  if (!before || !after) return undefined;
  const common = { _id: row.id, by: presentAuthor({ ...row, actor: row.admin }), createdAt: row.createdAt };
  if (after.claimedBy) return { ...common, what: before.claimedBy ? ("prolonged" as const) : ("claimed" as const) };
  if (before.claimedBy)
    return { ...common, what: row.actorKind === "system" ? ("expired" as const) : ("released" as const) };
  if (after.charged) return { ...common, what: "charged" as const, amount: inCents(after.charged) };
  if (before.charged) return { ...common, what: "reversed" as const, amount: inCents(before.charged) };
  return {
    ...common,
    what: "changed" as const,
    status: before.status && after.status ? { from: before.status, to: after.status } : undefined,
    price: "price" in after ? { from: quoted(before.price), to: quoted(after.price) } : undefined,
    file: "file" in after ? { from: before.file ?? null, to: after.file ?? null } : undefined,
    note: "note" in after || undefined,
  };
}

const inCents = (amount: number) => Math.round(amount * 100);
const quoted = (price: number | null | undefined) => (typeof price === "number" ? inCents(price) : null);
