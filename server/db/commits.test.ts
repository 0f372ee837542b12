import { sql } from "drizzle-orm";
import { expect, inject, test } from "vitest";
import { db } from "../testing/server.ts";
import { beginningWithLooks } from "./commits.ts";
import { settings } from "./schema.ts";

test.runIf(inject("postgresUrl"))("nothing is changed behind a BEGIN that was refused", async () => {
  const handle = async () => (await db.select().from(settings))[0]?.cashappId;
  const before = await handle();
  const change = db.transaction(
    async (tx) => {
      await tx.execute(sql`select from settings for update`);
      await tx.update(settings).set({ cashappId: "$changed" });
    },
    { ...beginningWithLooks, isolationLevel: "of a kind that does not exist" as never },
  );
  await expect(change).rejects.toThrow();
  expect(await handle()).toBe(before);
});
