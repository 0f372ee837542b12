import { open } from "node:fs/promises";
import { type BackupKeys, StartError } from "../../config.ts";

/** Loaded only for keys: it takes a sixth of a start, and most files are not encrypted. */
const age = () => import("age-encryption");

/** None of the keys opens the file. */
export class Locked extends Error {}

/** The file could be opened, but was changed. */
export class Damaged extends Error {}

/** Finds incompletely copied keys before anything is done. */
export async function checkKeys({ recipients, identities }: BackupKeys): Promise<void> {
  const { Encrypter, Decrypter } = await age();
  const [encrypter, decrypter] = [new Encrypter(), new Decrypter()];
  const check = (name: string, add: () => void) => {
    try {
      add();
    } catch {
      throw new StartError(`${name} is not a whole key of the age format: copy it again.`);
    }
  };
  for (const each of recipients) check("BACKUP_KEY", () => encrypter.addRecipient(each));
  for (const each of identities) check("BACKUP_IDENTITY", () => decrypter.addIdentity(each));
}

const beginning = "age-encryption.org/v1\n";

export async function isSealed(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(beginning.length), 0, beginning.length, 0);
    return buffer.subarray(0, bytesRead).toString("latin1") === beginning;
  } finally {
    await file.close();
  }
}

export async function* sealed(source: AsyncIterable<Uint8Array>, { recipients, passphrase }: BackupKeys) {
  const { Encrypter } = await age();
  const encrypter = new Encrypter();
  for (const recipient of recipients) encrypter.addRecipient(recipient);
  if (recipients.length === 0 && passphrase) encrypter.setPassphrase(passphrase);
  yield* await encrypter.encrypt(ReadableStream.from(source) as ReadableStream<Uint8Array>);
}

export async function* unsealed(source: AsyncIterable<Uint8Array>, keys: BackupKeys | undefined) {
  const { Decrypter } = await age();
  const decrypter = new Decrypter();
  for (const identity of keys?.identities ?? []) decrypter.addIdentity(identity);
  if (keys?.passphrase) decrypter.addPassphrase(keys.passphrase);
  const opened = await decrypter
    .decrypt(ReadableStream.from(source) as ReadableStream<Uint8Array>)
    .catch((error: Error) => {
      throw new Locked(error.message);
    });
  try {
    yield* opened;
  } catch (error) {
    throw new Damaged((error as Error).message);
  }
}

/**
 * The same keys with an additional one that only this process knows, so that a file encrypted for somebody else can be
 * read once to check it. A passphrase opens what it encrypted anyway.
 */
export async function withOwnKey(keys: BackupKeys): Promise<BackupKeys> {
  const [first] = keys.recipients;
  if (!first) return keys;
  const { generateHybridIdentity, generateX25519Identity, identityToRecipient } = await age();
  // The two kinds of keys cannot be mixed: the weaker would undo the stronger.
  const own = await (first.startsWith("age1pq1") ? generateHybridIdentity() : generateX25519Identity());
  return { ...keys, recipients: [...keys.recipients, await identityToRecipient(own)], identities: [own] };
}
