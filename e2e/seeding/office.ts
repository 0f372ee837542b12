import { type invoiceStatus, paymentMethod } from "@footprint/contract/invoices.ts";
import { logType } from "@footprint/contract/logs.ts";
import { trackingTemplate, trackingType } from "@footprint/contract/tracking.ts";
import { unusualRules } from "@footprint/contract/unusual.ts";
import { generatePassword, hashPassword } from "../../server/accounts/passwords.ts";
import { hashToken } from "../../server/accounts/sessions.ts";
import { newTotpSecret } from "../../server/accounts/two-step.ts";
import type { Transaction } from "../../server/db/database.ts";
import { accounts, logs, sessions, settings, trackingCodes, unusualEvents } from "../../server/db/schema.ts";
import { dollars } from "../../server/money/ledger.ts";
import { addInvoice, moveMoney } from "../../server/testing/add.ts";
import { awayAccount } from "../server.ts";
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
  prepaidCodes,
} from "./rows.ts";

type SeedInvoice = { customer: string; amount: number; status: (typeof invoiceStatus.options)[number] };

export async function addInvoices(tx: Transaction, customers: Named) {
  const plain = (status: SeedInvoice["status"], count: number): SeedInvoice[] =>
    places(count).map((place) => ({ customer: pick(plainNames, place), amount: place * 25, status }));
  const all: SeedInvoice[] = [
    ...plain("pending", 6),
    ...plain("paid", 9),
    ...plain("expired", 3),
    ...plain("failed", 3),
    { customer: "invoice-customer", amount: 40, status: "pending" },
    { customer: "invoice-customer", amount: 41, status: "pending" },
    { customer: "invoice-customer", amount: 42, status: "expired" },
    { customer: "invoice-customer", amount: 43, status: "failed" },
  ];
  for (const [place, { customer: username, amount, status }] of all.entries()) {
    const row = createdAgo((18 + place * 155) * minute);
    const customer = named(customers, username);
    await addInvoice(tx, {
      ...row,
      customer,
      amount,
      paymentMethod: pick(paymentMethod.options, place),
      status,
      // One of them has no payment page.
      hostedUrl: place === 2 ? "" : `https://pay.example.com/invoice/${place + 1}`,
      paidAt: status === "paid" ? row.createdAt : null,
    });
    if (status === "paid") await moveMoney(tx, customer, amount, "deposit", row.id);
  }
}

export async function addTrackingCodes(tx: Transaction) {
  for (const place of places(prepaidCodes))
    await tx.insert(trackingCodes).values({
      ...createdAgo(3 * day + place * 70 * minute),
      code: prepaidCode(place),
      type: pick(trackingType.options, place),
      template: pick(trackingTemplate.options, place),
      usedAt: isUsedCode(place) ? new Date() : null,
    });
}

/** Two rows of every type. */
export async function addLogs(tx: Transaction) {
  const types = [...logType.options, ...logType.options];
  for (const [place, type] of types.entries())
    await tx.insert(logs).values({
      ...createdAgo(day + place * 51 * minute),
      admin: place % 2 ? "night-shift" : "admin",
      type,
      action: `Seeded ${type} entry ${place + 1} (${dollars((place + 1) * 100)})`,
      before: { step: place },
      after: { step: place + 1 },
    });
}

/** Two events of every rule. The rules are off, since tests do unusual things now and then. */
export async function addUnusualEvents(tx: Transaction, customers: Named) {
  await tx.update(settings).set({ unusualRules: Object.fromEntries(unusualRules.map((rule) => [rule, null])) });
  const [account] = await tx.select().from(accounts);
  for (const [place, rule] of [...unusualRules, ...unusualRules].entries()) {
    const name = pick(plainNames, place);
    const customer = named(customers, name);
    const row = createdAgo(3 * 60 * minute + place * 400 * minute);
    const isAddress = rule === "address";
    const isCredit = rule === "credits";
    const isPrice = rule === "prices";
    const counts = isAddress || rule === "night";
    await tx.insert(unusualEvents).values({
      ...row,
      rule,
      day: row.createdAt.toISOString().slice(0, 10),
      subject: row.id,
      name: isAddress
        ? "88 Wharf Rd, Portland, ME 04101"
        : isPrice
          ? "USPS Express from 0–1 lb at $24.90 to 0–1 lb at $2.49"
          : isCredit
            ? (account?.username ?? "")
            : name,
      customerId: isCredit || isPrice || (isAddress && place > 5) ? null : customer.id,
      accountId: isCredit || isPrice ? (account?.id ?? null) : null,
      seen: isPrice ? 90 : counts ? 6 + place : (400 + place * 57) * 100,
      usual: rule === "spend" || rule === "refunds" || isCredit ? 4_650 : null,
      orders: counts ? places(6).map(() => createdAgo(day).id) : [],
    });
  }
}

/** An account with two-step sign-in, only to be looked at. */
export async function addStaff(tx: Transaction) {
  await tx.insert(accounts).values({
    ...createdAgo(9 * day),
    username: "two-step-member",
    passwordHash: await hashPassword(generatePassword()),
    role: "staff",
    totpSecret: newTotpSecret(),
    totpConfirmedAt: new Date(),
  });
  const { username, password, token } = awayAccount;
  const [away] = await tx
    .insert(accounts)
    .values({ ...createdAgo(9 * day), username, passwordHash: await hashPassword(password), role: "admin" })
    .returning();
  const confirmedAt = new Date(Date.now() - 31 * 60_000);
  if (away) await tx.insert(sessions).values({ tokenHash: hashToken(token), accountId: away.id, confirmedAt });
}
