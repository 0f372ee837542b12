// Measures how long chaining and checking a seeded business's log takes, and how it delays writers: DATABASE_URL=… npm
// run bench:chain
import { sql } from "drizzle-orm";
import { recordRead, terminal } from "../server/accounts/audit.ts";
import { chainLog, newestLink } from "../server/accounts/log-chain.ts";
import { checkChain } from "../server/accounts/log-verification.ts";
import { StartError } from "../server/config.ts";
import { runCommand } from "../server/operations/command.ts";

await runCommand(async (open) => {
  const db = await open();
  if ((await newestLink(db)).link) throw new StartError("The log is chained already: seed another database.");
  let isDone = false;
  const timed = async (work: () => Promise<unknown>) => {
    const begun = performance.now();
    await work();
    isDone = true;
    return `${((performance.now() - begun) / 1000).toFixed(1)} s`;
  };
  /** The median time of a change that leaves a row in the log. */
  const writing = async (amount: number) => {
    const times: number[] = [];
    isDone = false;
    while (!isDone && times.length < amount) {
      const begun = performance.now();
      await recordRead(db, terminal, "website", "Measured");
      times.push(performance.now() - begun);
    }
    return `${times.toSorted((a, b) => a - b)[times.length >> 1]?.toFixed(2)} ms`;
  };
  const alone = await writing(2000);
  const [meanwhile, chaining] = await Promise.all([writing(Number.POSITIVE_INFINITY), timed(() => chainLog(db))]);
  const checking = await timed(() => checkChain(db, { wholeLog: true }));
  const { rows } = await db.execute<{ size: string }>(
    sql`select pg_size_pretty(pg_total_relation_size('log_chain')) as size`,
  );
  const { link, chained } = await newestLink(db);
  console.log(
    `${chained} rows chained in ${chaining} (${link?.number} links, ${rows[0]?.size}), checked in ${checking}`,
  );
  console.log(`a row is written in ${alone}, and in ${meanwhile} while the log is chained`);
  return 0;
});
