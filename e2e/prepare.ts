import { startPostgresWithSeed } from "./server.ts";

/** Before all tests. */
export default async function prepare() {
  const { url, stop } = await startPostgresWithSeed();
  process.env.TEST_POSTGRES = url;
  return stop;
}
