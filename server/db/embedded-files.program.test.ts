import fs from "node:fs";
import { cp } from "node:fs/promises";
import { join, relative } from "node:path";
import { sql } from "drizzle-orm";
import { afterEach, expect, test, vi } from "vitest";
import { folder, putDatabase } from "../testing/program.ts";
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
