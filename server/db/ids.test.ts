import { expect, test } from "vitest";
import { uuidv7 } from "./ids.ts";

test("ids sort in the order in which they were made, within a millisecond too", () => {
  const ids = Array.from({ length: 1_000 }, () => uuidv7(1_794_880_000_000));
  expect(ids.toSorted()).toEqual(ids);
  expect(new Set(ids)).toHaveLength(1_000);
  expect(ids[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});
