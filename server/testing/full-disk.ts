// Loaded into a program (`--import`), leaves no room on its disk for further files of the embedded engine's journal.
import fs from "node:fs";

const { openSync, writeSync } = fs;
const further = new Set<number>();

fs.openSync = (path, ...how) => {
  const file = openSync(path, ...how);
  if (String(path).includes("pg_wal/xlogtemp")) further.add(file);
  else further.delete(file);
  return file;
};
fs.writeSync = (file: number, ...what: unknown[]) => {
  if (further.has(file)) throw Object.assign(new Error("There is no room"), { code: "ENOSPC", errno: -28 });
  return (writeSync as (file: number, ...what: unknown[]) => number)(file, ...what);
};
