import { seedFolder } from "./server.ts";

/** Before all tests: the data folder that every worker's server starts with a copy of. */
export default async function prepare() {
  const { folder, remove } = await seedFolder();
  process.env.FOOTPRINT_SEEDED = folder;
  return remove;
}
