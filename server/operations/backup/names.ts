import type { BackupKeys } from "../../config.ts";

/** A secret key alone can open backups, but not make them. */
export const closes = (keys: BackupKeys | undefined) => !!keys && (keys.recipients.length > 0 || !!keys.passphrase);

/** Names sort by time; they have no colons, which some file systems refuse. */
export const nameOf = (time: Date, keys: BackupKeys | undefined) =>
  `footprint-${time.toISOString().slice(0, 19).replaceAll(":", "")}Z.gz${closes(keys) ? ".age" : ""}`;
