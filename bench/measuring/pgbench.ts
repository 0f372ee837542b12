import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { createDatabase } from "./home.ts";

const run = promisify(execFile);

/** The share of pgbench's transactions that orders should reach. */
const leastShare = 0.4;
/** Two million accounts, which still fit into memory. */
const scale = 20;

/**
 * Measures the simplest transactions that move money (TPC-B-like, prepared) on the same PostgreSQL, to compare orders
 * with. Undefined if PostgreSQL's own pgbench is not installed.
 */
export async function openPgbench(server: string) {
  const place = new URL(`${server}/bench_pgbench`);
  const address = ["-h", place.hostname, "-p", place.port || "5432", "-U", decodeURIComponent(place.username)];
  const env = { ...process.env, PGPASSWORD: decodeURIComponent(place.password) };
  const pgbench = (...args: string[]) => run("pgbench", [...address, ...args, "bench_pgbench"], { env });
  try {
    await run("pgbench", ["--version"]);
  } catch {
    return undefined;
  }
  if (await createDatabase(server, "bench_pgbench")) await pgbench("-i", "-q", "-s", String(scale));

  /** Transactions a second, within some seconds. */
  return async (connections: number, seconds: number): Promise<number> => {
    const flags = ["-n", "-M", "prepared", "-c", String(connections), "-j", String(Math.min(2, connections))];
    const { stdout } = await pgbench(...flags, "-T", String(Math.max(1, Math.round(seconds))));
    const found = /^tps = ([\d.]+)/m.exec(stdout)?.[1];
    if (!found) throw new Error(`pgbench said no tps: ${stdout}`);
    return Number(found);
  };
}

export function shareLine(orders: number, transactions: number, connections: number): string {
  const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
  const share = orders / transactions;
  const verdict = share < leastShare ? ` of at least ${percent(leastShare)}` : "";
  return `  pgbench at ${connections}: ${transactions.toFixed(0)} transactions a second, of which orders are ${percent(share)}${verdict}`;
}
