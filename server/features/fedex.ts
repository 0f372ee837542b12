import { addressOf, type Party } from "@footprint/contract/address.ts";
import { fedex } from "@footprint/contract/fedex.ts";
import { refusal } from "@footprint/contract/refusal.ts";
import { eq } from "drizzle-orm";
import { record, recordRead } from "../accounts/audit.ts";
import type { Transaction } from "../db/database.ts";
import { customers, fedexOrders, files } from "../db/schema.ts";
import { attach, fileName, openFile, remove } from "../http/files.ts";
import { routes } from "../http/routes.ts";
import { countsByKind } from "../lists/counters.ts";
import { exportList, inDollars } from "../lists/export.ts";
import { type Filters, having, listOf } from "../lists/list.ts";
import { pageOf } from "../lists/paging.ts";
import { addressColumns, presentFedexOrder } from "../lists/presenters.ts";
import { searchedFedexOrders } from "../lists/searched.ts";
import { updatedFedexOrder } from "../money/trade-log.ts";

type FedexRow = typeof fedexOrders.$inferSelect;

export const fedexRoutes = routes(fedex, {
  async list({ db, query, actor }) {
    const isAdmin = actor.role === "admin";
    const { rows, ...counts } = await pageOf(db, { ...list, searched: searchedFedexOrders(actor) }, query);
    return {
      docs: rows.map(({ order, user, file }) => ({
        ...presentFedexOrder(order),
        file,
        user: isAdmin ? user : { ...user, discordId: "***" },
        from: addressOf<Party>(order, "from"),
        to: addressOf<Party>(order, "to"),
      })),
      totalDocs: counts.total,
      ...counts,
    };
  },

  export: (call) => exportList(call, list),

  async stats({ db }) {
    const { Pending = 0, Completed = 0, Cancelled = 0 } = await countsByKind(db, "fedex orders");
    return { pending: Pending, completed: Completed, cancelled: Cancelled };
  },

  async update({ params, body, file, actor, transaction }) {
    const { status, note, price } = body;
    return transaction(async (tx) => {
      const before = await lockOrder(tx, params.id);
      const after = {
        status: status ?? before.status,
        note: note ?? before.note,
        priceCents: price ?? before.priceCents,
        fileId: file ? await attach(tx, file) : before.fileId,
      };
      const replaced = file ? await fileName(tx, before.fileId) : null;
      const entry = updatedFedexOrder(before, after, file && { from: replaced, to: file.name });
      const reply = { message: "Order updated" };
      if (!entry) return reply;

      await tx.update(fedexOrders).set(after).where(eq(fedexOrders.id, before.id));
      if (file && before.fileId) await remove(tx, before.fileId);
      await record(tx, actor, ...entry);
      return reply;
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
});

const list = listOf({
  name: "fedex-orders",
  table: fedexOrders,
  counted: { subject: "fedex orders" },
  searched: searchedFedexOrders({ role: "admin" }),
  filters: ({ customer, filter }: Filters<typeof fedex.list>) => [
    customer && having(fedexOrders.customerId, customer),
    filter !== "All" && {
      ...having(fedexOrders.status, filter),
      counted: { subject: "fedex orders", kinds: [filter] },
    },
  ],
  select: (db) =>
    db
      .select({
        order: fedexOrders,
        user: { _id: customers.id, username: customers.username, discordId: customers.discordId },
        file: { name: files.name, size: files.size },
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

async function lockOrder(tx: Transaction, id: string): Promise<FedexRow> {
  const [order] = await tx.select().from(fedexOrders).where(eq(fedexOrders.id, id)).for("update");
  if (!order) throw refusal(404, "This order does not exist");
  return order;
}
