import fs from "node:fs";
import { cp } from "node:fs/promises";
import { join, relative } from "node:path";
import { dashboard } from "@footprint/contract/dashboard.ts";
import { sql } from "drizzle-orm";
import { afterEach, expect, test, vi } from "vitest";
import { adminPassword, ended, folder, openShop, putDatabase, run } from "../testing/program.ts";
import type { Database } from "./database.ts";
import { connectEmbedded, openFolder } from "./engine.ts";

afterEach(() => void vi.restoreAllMocks());

const noted = async (db: Database) => (await db.execute(sql`select day from holidays order by 1`)).rows;

test("what was answered outlives a machine that forgets all that was not brought to its disk", async () => {
  await putDatabase();
  const files = join(folder, "postgres");
  const disk = join(folder, "disk");
  await cp(files, disk, { recursive: true });
  vi.spyOn(fs, "fsyncSync").mockImplementation((file) => {
    const path = fs.readlinkSync(`/proc/self/fd/${file}`);
    if (fs.statSync(path).isFile()) fs.cpSync(path, join(disk, relative(files, path)));
  });

  const engine = await openFolder(folder);
  try {
    await engine.db.execute(sql`create table holidays (day date primary key)`);
    for (let day = 1; day <= 20; day++) {
      await engine.db.transaction((tx) => tx.execute(sql`insert into holidays values (make_date(2027, 1, ${day}))`));
      // From here on the journal alone is not enough.
      if (day % 8 === 0) await engine.db.execute(sql`checkpoint`);
    }
    vi.restoreAllMocks();
    const found = await connectEmbedded({ dataDir: disk });
    expect(await noted(found.db)).toEqual(await noted(engine.db));
    await found.close();
  } finally {
    await engine.close();
  }
});

test("where the disk has no room for the journal, the program says so and ends; with room again it goes on", async () => {
  await putDatabase();
  // The demo business fills more than one file of the journal.
  const full = { ADMIN_PASSWORD: adminPassword, NODE_OPTIONS: "--import=./testing/full-disk.ts" };
  expect(await ended(run({ DEMO: "on", ...full }))).toEqual({
    code: 1,
    output: expect.stringMatching(
      /^The database gave up \(could not write .*: No space left on device\): the program ends\.$/,
    ),
  });
  expect(await ended(run(full))).toEqual({
    code: 1,
    output: expect.stringMatching(
      /cannot be opened \(could not write .*: No space left on device\): make room on its disk\.$/,
    ),
  });

  const { call } = await openShop({ DEMO: "off" });
  expect(await call(dashboard.books)).toMatchObject({ balanced: true });
});
