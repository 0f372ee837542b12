import { seedFolder } from "./server.ts";

/** Before all tests: makes the data folder that every worker's server copies. */
export default async function prepare() {
  const { folder, remove } = await seedFolder();
  process.env.FOOTPRINT_SEEDED = folder;
  return remove;
}
