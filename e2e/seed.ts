// Fills an empty database with the business that the browser tests work on: DATABASE_URL=… node e2e/seed.ts
// Runs before a server opens it. Names are the same in every run, times count back from now.
//
// A test changes only the rows that are named after its work, or rows that it made itself:
//   refund-customer     $100.00, orders to "Refund 1" … "Refund 8", all active
//   paging-customer     orders to "Paging 01" … "Paging 25", all active: three pages
//   bulk-customer       bulk orders of 2 and of 40 orders; northwind has one of 12
//   fedex-customer      Fedex orders to "Fedex Update 1" … "Fedex Update 4", "Fedex Process", "Fedex File"
//   balance-customer    $50.00, and balance-customer-2 likewise
//   pricing-customer    custom pricing on, two custom prices; pricing-customer-2: off, none
//   status-customer     active
//   invoice-customer    invoices of $40 and $41 (pending), $42 (expired), $43 (failed)
//   tracking codes      fifteen, every third used by an order of paging-customer: 92001902551400000000…
//   label types         USPS Priority, USPS First Class, WWBiz Ground (no price from 5 to 10), ShipV2 Express (inactive)
//   two-step-member     staff, with two-step sign-in
//   away-admin          an administrator with a session on which they last confirmed half an hour ago
//   unusual events      two of each rule, all open; all rules are off
//   verify-customer-1 … -3, newcomer-01 … -09 are not verified yet

import { ensureAdmin } from "../server/accounts/accounts.ts";
import { readConfig } from "../server/config.ts";
import { checkBooks } from "../server/money/books.ts";
import { runCommand } from "../server/operations/command.ts";
import { addCustomers, addLabelTypes } from "./seeding/customers.ts";
import { addInvoices, addLogs, addStaff, addTrackingCodes, addUnusualEvents } from "./seeding/office.ts";
import { addBulkOrders, addFedexOrders, addOrders } from "./seeding/trade.ts";
import { adminAccount } from "./server.ts";

await runCommand(async (open) => {
  const db = await open();
  // A server creates the first administrator only if there is none.
  const { username: ADMIN_USERNAME, password: ADMIN_PASSWORD } = adminAccount;
  await ensureAdmin(db, readConfig({ ADMIN_USERNAME, ADMIN_PASSWORD }));
  await db.transaction(async (tx) => {
    const customers = await addCustomers(tx);
    const labels = await addLabelTypes(tx, customers);
    await addOrders(tx, { customers, labels });
    await addBulkOrders(tx, { customers, labels });
    await addFedexOrders(tx, customers);
    await addInvoices(tx, customers);
    await addTrackingCodes(tx);
    await addLogs(tx);
    await addStaff(tx);
    await addUnusualEvents(tx, customers);
  });
  const { problems } = await checkBooks(db);
  for (const problem of problems) console.error(problem);
  return problems.length ? 1 : 0;
});
