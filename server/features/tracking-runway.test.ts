import { tracking } from "@footprint/contract/tracking.ts";
import { expect, test } from "vitest";
import { type labelTypes, trackingCodes } from "../db/schema.ts";
import { addLabelType } from "../testing/builders.ts";
import { call, db, logRows, moveBusinessTo, setClock } from "../testing/server.ts";

type Type = NonNullable<typeof labelTypes.$inferSelect.codes>;
const hour = 3_600_000;
let made = 0;

const addCodes = async (type: Type, amount: number, usedAt: Date | null = null) => {
  const codes = Array.from({ length: amount }, () => `9400${String(made++).padStart(18, "0")}`);
  if (codes.length > 0)
    await db.insert(trackingCodes).values(codes.map((code) => ({ code, type, template: "evs" as const, usedAt })));
};
const runwayOf = async (type: Type) => {
  const { runways } = (await call("admin", tracking.runway)).body;
  return runways.find((runway) => runway.type === type);
};
/** Uses so many codes on each of the days before the clock's, at noon UTC, oldest first. */
const use = async (type: Type, noon: string, amounts: number[]) => {
  for (const [place, amount] of amounts.entries())
    await addCodes(type, amount, new Date(Date.parse(noon) - (amounts.length - place) * 24 * hour));
};
const noon = "2026-03-18T12:00:00Z";

test("codes last as long as they would at the pace of the last 28 days", async () => {
  setClock(noon);
  await use("priority", noon, Array(28).fill(2));
  await addCodes("priority", 30);
  // Two today, and two on each of the next fourteen days.
  expect(await runwayOf("priority")).toMatchObject({
    left: 30,
    days: 14,
    emptyOn: "2026-04-01",
    orderBy: "2026-03-29",
    perDay7: 2,
    perDay28: 2,
    isLow: true,
  });
  await addCodes("priority", 1, new Date(noon));
  await addCodes("priority", 100);
  expect(await runwayOf("priority")).toMatchObject({ left: 130, days: 65, isLow: false });
});

test("a weekday counts by its own average, and a busier week by its pace", async () => {
  // A Wednesday. Nothing is sold on Sundays.
  setClock(noon);
  const week = [3, 3, 3, 3, 0, 3, 3];
  await use("express", noon, [...week, ...week, ...week, ...week]);
  await addCodes("express", 12);
  // Wednesday to Saturday; with one more code, until Monday.
  expect(await runwayOf("express")).toMatchObject({
    days: 3,
    emptyOn: "2026-03-21",
    perDay7: 18 / 7,
    perDay28: 18 / 7,
  });
  await addCodes("express", 1);
  expect(await runwayOf("express")).toMatchObject({ days: 5, emptyOn: "2026-03-23" });
  await use("ground_oz", noon, [...Array(21).fill(1), ...Array(7).fill(5)]);
  await addCodes("ground_oz", 50);
  expect(await runwayOf("ground_oz")).toMatchObject({ days: 9, perDay7: 5, perDay28: 2 });
});

test("days before the first use do not slow the pace down, and old codes that nobody uses last for ever", async () => {
  setClock(noon);
  await use("priority", noon, [10, 10, 10]);
  await addCodes("priority", 100);
  expect(await runwayOf("priority")).toMatchObject({ perDay7: 10, perDay28: 10, days: 9 });
  await addCodes("express", 5, new Date(noon));
  await addCodes("express", 100);
  expect(await runwayOf("express")).toMatchObject({ perDay7: 5, perDay28: 5, days: 20 });
  await addCodes("ground_lbs", 500, new Date("2025-01-01T12:00:00Z"));
  await addCodes("ground_lbs", 3);
  expect(await runwayOf("ground_lbs")).toMatchObject({ perDay28: 0, days: null, emptyOn: null, isLow: false });
  // Two months ago is not recent, but it was a use, so the days since then count.
  await addCodes("ground_lbs", 28, new Date(Date.parse(noon) - 24 * hour));
  expect(await runwayOf("ground_lbs")).toMatchObject({ perDay7: 4, perDay28: 1 });
});

test("codes are low where a label type that is enabled takes them and few or none are left", async () => {
  setClock(noon);
  expect(await runwayOf("priority")).toMatchObject({ left: 0, days: null, isLow: false, labelTypes: [] });
  await addLabelType({ name: "Old", uid: "old", codes: "priority", active: false });
  expect(await runwayOf("priority")).toMatchObject({ isLow: false, labelTypes: [] });
  await addLabelType({ name: "Priority", uid: "p", codes: "priority" });
  expect(await runwayOf("priority")).toMatchObject({ isLow: true, labelTypes: ["Priority"] });
  await addCodes("priority", 99);
  expect(await runwayOf("priority")).toMatchObject({ left: 99, days: null, isLow: true });
  await addCodes("priority", 1);
  expect(await runwayOf("priority")).toMatchObject({ isLow: false });
});

test.for([
  ["UTC", "2026-03-18T12:00:00Z"],
  ["America/New_York", "2026-03-20T02:30:00Z"],
  ["Europe/Berlin", "2026-11-10T23:30:00Z"],
  ["Pacific/Kiritimati", "2026-04-01T10:30:00Z"],
  ["America/Santiago", "2026-09-20T03:30:00Z"],
] as const)("the pace is that of the rows in %s at %s", async ([timezone, now]) => {
  await moveBusinessTo(timezone);
  setClock(now);
  // Every five hours, across a change of clocks and beyond the 28 days.
  const moments = Array.from({ length: 160 }, (_, place) => new Date(Date.parse(now) - place * 5 * hour));
  const used = moments.flatMap((at, place) => Array<Date>((place * 7) % 4).fill(at));
  await db.insert(trackingCodes).values(
    used.map((usedAt, place) => ({
      code: `9401${String(place).padStart(18, "0")}`,
      type: "priority" as const,
      template: "evs" as const,
      usedAt,
    })),
  );
  await addCodes("priority", 200);
  const calendar = new Intl.DateTimeFormat("en-CA", { timeZone: timezone, dateStyle: "short" });
  const dayOf = (at: Date) => calendar.format(at);
  const today = dayOf(new Date(now));
  const dayAgo = (ago: number) => new Date(Date.parse(today) - ago * 24 * hour).toISOString().slice(0, 10);
  const usedOn = (day: string) => used.filter((at) => dayOf(at) === day).length;
  const average = (agos: number[]) => agos.reduce((sum, ago) => sum + usedOn(dayAgo(ago)), 0) / agos.length;
  const week = [0, 1, 2, 3, 4, 5, 6].map((ahead) => average([7, 14, 21, 28].map((ago) => ago - ahead)));
  const perDay7 = average([1, 2, 3, 4, 5, 6, 7]);
  const perDay28 = average(Array.from({ length: 28 }, (_, ago) => ago + 1));
  const faster = Math.max(1, perDay7 / perDay28);
  let [rest, days] = [200 - Math.max(0, (week[0] ?? 0) * faster - usedOn(today)), 0];
  while (rest > 1e-6) rest -= (week[++days % 7] ?? 0) * faster;
  const runway = await runwayOf("priority");
  expect(runway).toMatchObject({ left: 200, days, emptyOn: dayAgo(-days) });
  expect([runway?.perDay7, runway?.perDay28].map((pace) => pace?.toFixed(6))).toEqual([
    perDay7.toFixed(6),
    perDay28.toFixed(6),
  ]);
});

test("when codes are low can be set for each type, and nobody overwrites anybody", async () => {
  setClock(noon);
  await use("priority", noon, Array(28).fill(2));
  await addCodes("priority", 130);
  const { version, ...before } = (await runwayOf("priority")) ?? { version: "" };
  expect(before).toMatchObject({ days: 64, isLow: false, alert: { days: 7, leadDays: 3, codes: 100 } });
  const update = (body: { days: number; leadDays: number; codes: number | null }, seen = version) =>
    call("admin", tracking.updateAlert, { params: { type: "priority" }, body, headers: { "if-match": `"${seen}"` } });
  const saved = await update({ days: 60, leadDays: 10, codes: null });
  expect([saved.status, saved.body.message]).toEqual([200, "Alert for priority codes saved"]);
  expect(await runwayOf("priority")).toMatchObject({
    isLow: true,
    orderBy: "2026-05-11",
    alert: { days: 60, leadDays: 10, codes: null },
    version: saved.body.version,
  });
  expect(await runwayOf("express")).toMatchObject({ alert: { days: 7, leadDays: 3, codes: 100 } });
  const late = await update({ days: 30, leadDays: 3, codes: 50 });
  expect(late).toMatchObject({
    status: 409,
    body: { conflict: { current: { days: 60, leadDays: 10, codes: null }, changedBy: "admin" } },
  });
  expect((await update({ days: 6, leadDays: 0, codes: null })).status).toBe(400);
  expect(await logRows()).toEqual([
    {
      admin: "admin",
      type: "tracking",
      action: "Changed the alert for priority codes to 60 days beyond 10 to order them",
      before: { priority: { days: 7, leadDays: 3, codes: 100 } },
      after: { priority: { days: 60, leadDays: 10, codes: null } },
    },
  ]);
});
