import { expect, test } from "vitest";
import { counted } from "../db/schema.ts";
import { db } from "../testing/server.ts";
import { countedKinds } from "./counters.ts";

test("the database counts what the program asks for, and nothing else", async () => {
  const subjects = (await db.select().from(counted)).map(({ subject }) => subject);
  expect(subjects.sort()).toEqual(Object.keys(countedKinds).sort());
});
