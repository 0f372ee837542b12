import type { Transaction } from "../../server/db/database.ts";
import { type fedexOrders, fileChunks, files } from "../../server/db/schema.ts";
import { newAddresses, newOrderAddresses } from "../../server/demo/people.ts";
import { withCheckDigit } from "../../server/money/tracking-codes.ts";
import { addBulkOrder, addFedexOrder, addUnpaidOrder, moveMoney, payFor } from "../../server/testing/add.ts";
import { plainNames } from "./customers.ts";
import {
  createdAgo,
  day,
  isUsedCode,
  minute,
  type Named,
  named,
  pick,
  places,
  prepaidCode,
  random,
  twoDigits,
} from "./rows.ts";

type Rows = { customers: Named; labels: Named };
type SeedOrder = Omit<Parameters<typeof addUnpaidOrder>[1], "customer" | "labelType" | "price"> & {
  customer: string;
  to: string;
  label: string;
  price: number;
  ago: number;
};

let sold = 0;

/** Writes the order and its refund; the caller writes the payment. */
async function addOrder(tx: Transaction, { customers, labels }: Rows, order: SeedOrder) {
  const { customer: username, to, label, price, ago, ...values } = order;
  const customer = named(customers, username);
  const { id } = await addUnpaidOrder(tx, {
    ...createdAgo(ago),
    uuid: random.uuid(),
    customer,
    labelType: named(labels, label),
    price,
    weight: label === "USPS First Class" ? 8 : 2.5,
    tracking: withCheckDigit(`94001118992238${1_000_000 + ++sold}`),
    ...newOrderAddresses(random),
    toName: to,
    ...values,
  });
  if (values.refundedAt) await moveMoney(tx, customer, price, "refund", id);
  return id;
}

export async function addOrders(tx: Transaction, rows: Rows) {
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
    await payFor(tx, named(rows.customers, order.customer), order.price, await addOrder(tx, rows, order));
}

export async function addBulkOrders(tx: Transaction, rows: Rows) {
  for (const [index, [username, size]] of (
    [
      ["bulk-customer", 2],
      ["bulk-customer", 40],
      ["northwind", 12],
    ] as const
  ).entries()) {
    const ago = 5 * day + index * 190 * minute;
    const customer = named(rows.customers, username);
    const { id } = await addBulkOrder(tx, { ...createdAgo(ago), uuid: random.uuid(), customer });
    for (const place of places(size))
      await addOrder(tx, rows, {
        customer: username,
        to: `Bulk ${size}-${twoDigits(place)}`,
        label: "USPS Priority",
        price: 8.4,
        ago: ago - place * 1000,
        bulkOrderId: id,
        refundedAt: size === 12 && place === 3 ? new Date() : null,
      });
    await payFor(tx, customer, 8.4 * size, id);
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

/** The file of the order to "Fedex File", byte for byte. */
const storedFile = {
  name: "stored label.pdf",
  type: "application/pdf",
  text: "%PDF-1.4\n% a label of the tests\n%%EOF\n",
};

export async function addFedexOrders(tx: Transaction, customers: Named) {
  const data = Buffer.from(storedFile.text);
  const file = createdAgo(day);
  await tx.insert(files).values({ ...file, name: storedFile.name, type: storedFile.type, size: data.length });
  await tx.insert(fileChunks).values({ fileId: file.id, position: 0, data });
  for (const [place, { to, ...values }] of fedex.entries())
    await addFedexOrder(tx, {
      ...createdAgo((12 + place * 205) * minute),
      uuid: random.uuid(),
      customer: named(customers, to.startsWith("Fedex") ? "fedex-customer" : pick(plainNames, place)),
      fileId: to === "Fedex File" ? file.id : null,
      ...newAddresses(random),
      toName: to,
      height: 6.25,
      specialNotes: place % 2 ? "" : "Fragile: glass. Ring twice, then leave with the neighbour at number 12.",
      ...values,
    });
}
