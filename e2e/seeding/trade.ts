import type { Transaction } from "../../server/db/database.ts";
import { bulkOrders, fedexOrders, fileChunks, files, orders } from "../../server/db/schema.ts";
import { move } from "../../server/money/ledger.ts";
import { plainNames } from "./customers.ts";
import {
  actor,
  born,
  cents,
  day,
  type Ids,
  idIn,
  isUsedCode,
  minute,
  pick,
  places,
  prepaidCode,
  twoDigits,
  uuidOf,
  withCheckDigit,
} from "./rows.ts";

const senders = [
  { fromName: "Tobias Brandt", fromStreet: "410 Cedar St", fromCity: "Austin", fromState: "TX", fromZip: "78701" },
  {
    fromName: "Mira Castellanos",
    fromStreet: "1209 Palm Ave",
    fromCity: "San Diego",
    fromState: "CA",
    fromZip: "92101",
  },
] as const;
const receivers = [
  { toStreet: "88 Wharf Rd", toCity: "Portland", toState: "ME", toZip: "04101" },
  { toStreet: "7 Lantern Ct", toCity: "Madison", toState: "WI", toZip: "53703" },
  { toStreet: "2600 Quarry Ln", toCity: "Boise", toState: "ID", toZip: "83702" },
] as const;

type SeedOrder = Partial<typeof orders.$inferInsert> & {
  customer: string;
  to: string;
  label: string;
  price: number;
  ago: number;
};

let sold = 0;

/** Writes the order alone: who pays for it, and how, is the caller's. */
async function addOrder(tx: Transaction, ids: { customers: Ids; labels: Ids }, order: SeedOrder) {
  const { customer, to, label, price, ago, ...values } = order;
  const row = { ...born(ago), uuid: uuidOf(`order to ${to}`) };
  const customerId = idIn(ids.customers, customer);
  const place = Math.round(ago / minute);
  await tx.insert(orders).values({
    ...row,
    customerId,
    labelTypeId: idIn(ids.labels, label),
    priceCents: cents(price),
    weight: label === "USPS First Class" ? 8 : 2.5,
    tracking: withCheckDigit(`94001118992238${1_000_000 + ++sold}`),
    ...pick(senders, place),
    fromCountry: "United States",
    toName: to,
    ...pick(receivers, place),
    toCountry: "United States",
    ...values,
  });
  if (values.refundedAt) await move(tx, { customerId, cents: cents(price), kind: "refund", reference: row.id, actor });
  return row.id;
}

/** The money comes in for it and goes out again, so that the balance stays what it was. */
async function pay(tx: Transaction, customerId: string, price: number, reference: string) {
  await move(tx, { customerId, cents: cents(price), kind: "adjustment", actor });
  await move(tx, { customerId, cents: -cents(price), kind: "purchase", reference, actor });
}

export async function addOrders(tx: Transaction, ids: { customers: Ids; labels: Ids }) {
  const label = (place: number) => pick(["USPS Priority", "USPS First Class", "WWBiz Ground"], place);
  const single: SeedOrder[] = [
    ...plainNames.slice(0, 12).map((customer, index) => ({
      customer,
      to: `Lena Okafor ${index + 1}`,
      label: label(index),
      price: 4.2 + index * 1.35,
      ago: (4 + index * 47) * minute,
      refundedAt: index % 4 === 3 ? new Date() : null,
    })),
    ...places(8).map((place) => ({
      customer: "refund-customer",
      to: `Refund ${place}`,
      label: label(place),
      price: 12.4 + place,
      ago: day + place * 31 * minute,
      fromCompany: "Brandt & Daughters",
      fromStreet2: "Suite 5",
      toCompany: "Harbor Goods LLC",
      toStreet2: "Unit 4",
    })),
    ...places(25).map((place) => ({
      customer: "paging-customer",
      to: `Paging ${twoDigits(place)}`,
      label: label(place),
      price: 5 + place / 4,
      ago: 2 * day + place * 83 * minute,
      ...(isUsedCode(place) && { tracking: prepaidCode(place) }),
    })),
  ];
  for (const order of single)
    await pay(tx, idIn(ids.customers, order.customer), order.price, await addOrder(tx, ids, order));
}

export async function addBulkOrders(tx: Transaction, ids: { customers: Ids; labels: Ids }) {
  for (const [index, [customer, size]] of (
    [
      ["bulk-customer", 2],
      ["bulk-customer", 40],
      ["northwind", 12],
    ] as const
  ).entries()) {
    const ago = 5 * day + index * 190 * minute;
    const row = { ...born(ago), uuid: uuidOf(`bulk order of ${size}`) };
    const customerId = idIn(ids.customers, customer);
    await tx.insert(bulkOrders).values({ ...row, customerId });
    for (const place of places(size))
      await addOrder(tx, ids, {
        customer,
        to: `Bulk ${size}-${twoDigits(place)}`,
        label: "USPS Priority",
        price: 8.4,
        ago: ago - place * 1000,
        bulkOrderId: row.id,
        refundedAt: size === 12 && place === 3 ? new Date() : null,
      });
    await pay(tx, customerId, 8.4 * size, row.id);
  }
}

const updates = places(4).map((place) => `Fedex Update ${place}`);
const fedex: {
  to: string;
  status: NonNullable<(typeof fedexOrders.$inferInsert)["status"]>;
  price?: number;
  note?: string;
}[] = [
  ...updates.map((to) => ({ to, status: "Pending" as const })),
  { to: "Fedex Process", status: "In Process", price: 61.2 },
  { to: "Fedex File", status: "Completed", price: 48.75, note: "Label attached, pick-up on Friday." },
  { to: "Noor Haddad", status: "Completed", price: 1204.5 },
  { to: "Piet Verhoeven", status: "Cancelled", note: "The customer found another carrier." },
  { to: "Saoirse Byrne", status: "Awaiting User Input", price: 33 },
  { to: "Kenji Mori", status: "Pending" },
  { to: "Amelia Stone", status: "Cancelled" },
  { to: "Luca Ferri", status: "In Process", price: 27.9 },
];

/** What the order to "Fedex File" has attached, byte for byte. */
const storedFile = {
  name: "stored label.pdf",
  type: "application/pdf",
  text: "%PDF-1.4\n% a label of the tests\n%%EOF\n",
};

export async function addFedexOrders(tx: Transaction, customerIds: Ids) {
  const data = Buffer.from(storedFile.text);
  const file = born(day);
  await tx.insert(files).values({ ...file, name: storedFile.name, type: storedFile.type, size: data.length });
  await tx.insert(fileChunks).values({ fileId: file.id, position: 0, data });
  for (const [place, { to, price, ...values }] of fedex.entries()) {
    await tx.insert(fedexOrders).values({
      ...born((12 + place * 205) * minute),
      uuid: uuidOf(`fedex order to ${to}`),
      customerId: idIn(customerIds, to.startsWith("Fedex") ? "fedex-customer" : pick(plainNames, place)),
      priceCents: price === undefined ? null : cents(price),
      fileId: to === "Fedex File" ? file.id : null,
      ...pick(senders, place),
      toName: to,
      ...pick(receivers, place),
      weight: 12.5,
      length: 10,
      width: 8,
      height: 6.25,
      dimensionUnit: "in",
      weightUnit: "lb",
      specialNotes: place % 2 ? "" : "Fragile: glass. Ring twice, then leave with the neighbour at number 12.",
      ...values,
    });
  }
}
