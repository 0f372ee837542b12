import { chmodSync, lstatSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { StartError } from "../config.ts";

/** Names of what Footprint puts into its data folder; and one that every disk of its own has. */
const ours = /^(postgres(-before-\d{4}|-copy-\w{6})?|lock(\..+)?)$/;
const mayBeThere = /^lost\+found$/;

/** Lets only its owner into the data folder and everything in it. On Windows the account's own rights do that. */
export function closeFolder(folder: string) {
  if (!process.getuid) return;
  const { uid, mode } = statSync(folder);
  if (uid !== process.getuid())
    throw new StartError(`DATA_DIR ${folder} belongs to another account: name a folder of your own.`);
  const names = readdirSync(folder);
  // Others may need to get into a folder that holds more than this.
  if (mode & 0o077 && !names.every((name) => ours.test(name) || mayBeThere.test(name)))
    throw new StartError(
      `DATA_DIR ${folder} is open to others and holds more than Footprint's data: name a folder of its own, or close it (chmod 700).`,
    );
  try {
    chmodSync(folder, 0o700);
    for (const name of names.filter((name) => ours.test(name))) closeTree(join(folder, name));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new StartError(`DATA_DIR ${folder} cannot be closed to others (${code}): name a folder of your own.`);
  }
}

/** The engine always gives its files all rights, so each of its folders is closed instead. */
function closeTree(root: string) {
  // The target of a link is somebody else's.
  if (!lstatSync(root).isDirectory()) return;
  chmodSync(root, 0o700);
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true }))
    if (entry.isDirectory()) chmodSync(join(entry.parentPath, entry.name), 0o700);
}
