import { summaries } from "@footprint/contract/summaries.ts";
import { expect, test } from "./fixtures.ts";
import { openScreen } from "./steps.ts";

const inWords = new Intl.DateTimeFormat("en-US", {
  timeZone: "UTC",
  weekday: "short",
  month: "short",
  day: "numeric",
  year: "numeric",
});
const headingOf = (day: string) => `Daily summary, ${inWords.format(new Date(day))}`;

test("one goes from day to day, and prints a day on one sheet", async ({ admin: { page, token }, server: { api } }) => {
  const [yesterday, before] = (await api.call(token, summaries.list, {})).summaries;
  if (!yesterday || !before) throw new Error("days are listed");
  await openScreen(page, "/summary", headingOf(yesterday.day));
  const heading = page.getByRole("heading", { level: 1 });
  await expect(page.getByRole("definition").first()).toHaveText(String(yesterday.orders));

  await page.getByRole("link", { name: "Previous day" }).press("Enter");
  await expect(heading).toHaveText(headingOf(before.day));
  await expect(page).toHaveURL(new RegExp(`day=${before.day}$`));
  await page.getByRole("link", { name: "Next day" }).press("Enter");
  await expect(heading).toHaveText(headingOf(yesterday.day));
  await page.getByLabel("Day", { exact: true }).fill("2026-01-31");
  await expect(heading).toHaveText("Daily summary, Sat, Jan 31, 2026");
  await page.goBack();
  await expect(page.getByRole("region", { name: "When the day ended" })).toBeVisible();

  const paper = (await page.pdf({ format: "A4" })).toString("latin1");
  expect(paper.match(/\/Type\s*\/Page\b(?!s)/g)).toHaveLength(1);
});
