import { chmodSync, lstatSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { StartError } from "../config.ts";

/** What Footprint puts into its data folder; and what a disk of its own comes with. */
const ours = /^(postgres(-before-\d{4}|-copy-\w{6})?|lock(\..+)?)$/;
const mayBeThere = /^lost\+found$/;

/** Lets nobody but its owner into the data folder and what is in it. On Windows the account's own rights do that. */
export function closeFolder(folder: string) {
  if (!process.getuid) return;
  const { uid, mode } = statSync(folder);
  if (uid !== process.getuid())
    throw new StartError(`DATA_DIR ${folder} belongs to another account: name a folder of your own.`);
  const names = readdirSync(folder);
  // Somebody else may need their way into a folder that holds more than this.
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

/** The engine gives its files all rights, whatever it is told: each of its folders keeps others away from them. */
function closeTree(root: string) {
  // What a link leads to is somebody else's.
  if (!lstatSync(root).isDirectory()) return;
  chmodSync(root, 0o700);
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true }))
    if (entry.isDirectory()) chmodSync(join(entry.parentPath, entry.name), 0o700);
}
