import { Readable } from "node:stream";
import type { Download, Endpoint, FileType } from "@footprint/contract/endpoint.ts";
import { and, eq, lt, sql } from "drizzle-orm";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Database, Transaction } from "./db/engine.ts";
import { fileChunks, files } from "./db/schema.ts";
import { refusal } from "./errors.ts";
import { uuidv7 } from "./ids.ts";

/** A file that was received but belongs to nothing until `attach` is called in the change's transaction. */
export type Upload = { id: string; name: string; type: FileType; size: number };

const chunkBytes = 256 * 1024;

/** Reads a multipart form: its text fields, and the one file it may carry, stored as it arrives. */
export async function receiveForm(db: Database, request: FastifyRequest, upload: NonNullable<Endpoint["upload"]>) {
  const tooLarge = refusal(413, `A file has at most ${upload.maxBytes / 1024 / 1024} MB`);
  // Whoever says beforehand that it is too much need not send it.
  if (Number(request.headers["content-length"]) > upload.maxBytes + 100_000) throw tooLarge;
  const fields: Record<string, unknown> = {};
  let file: Upload | undefined;
  const limits = { files: 1, fields: 20, fieldSize: 16 * 1024, fileSize: upload.maxBytes + 1 };
  const parts = request.parts({ limits });
  try {
    for (let part = await readable(parts.next()); !part.done; part = await readable(parts.next())) {
      if (part.value.type === "field") fields[part.value.fieldname] = part.value.value;
      else if (part.value.fieldname !== upload.field) throw refusal(400, `Send the file as ${upload.field}`);
      else file = await store(db, part.value.file, part.value.filename, upload, tooLarge);
    }
  } catch (error) {
    if (file) await discard(db, file);
    throw error;
  }
  return { fields, file };
}

/** What breaks while reading is the sender's fault: a form cut short, or not a form at all. */
async function readable<T>(next: Promise<T>): Promise<T> {
  return next.catch((error: { statusCode?: number }) => {
    throw refusal(error.statusCode === 413 ? 413 : 400, "The form is not valid multipart data");
  });
}

async function store(
  db: Database,
  content: Readable,
  filename: string,
  { maxBytes, types }: NonNullable<Endpoint["upload"]>,
  tooLarge: Error,
): Promise<Upload | undefined> {
  const source = content[Symbol.asyncIterator]();
  const id = uuidv7();
  let file: Upload | undefined;
  let pending = Buffer.alloc(0);
  let position = 0;
  const flush = async (atLeast: number) => {
    while (pending.length > 0 && pending.length >= atLeast) {
      file ??= await begin(db, id, filename, pending, types);
      const data = pending.subarray(0, chunkBytes);
      pending = pending.subarray(chunkBytes);
      await db.insert(fileChunks).values({ fileId: id, position: position++, data });
      file.size += data.length;
    }
  };
  try {
    for (let next = await readable(source.next()); !next.done; next = await readable(source.next())) {
      pending = Buffer.concat([pending, next.value]);
      if ((file?.size ?? 0) + pending.length > maxBytes) throw tooLarge;
      await flush(chunkBytes);
    }
    await flush(1);
  } catch (error) {
    if (file) await discard(db, file);
    throw error;
  }
  // A form sent without choosing a file carries an empty one.
  if (!file && filename) throw refusal(400, "The file is empty");
  return file;
}

async function begin(db: Database, id: string, filename: string, start: Buffer, types: readonly FileType[]) {
  const type = typeOf(start);
  if (!type || !types.includes(type)) {
    const names = types.map((known) => known.replace(/^.*\//, "").toUpperCase());
    throw refusal(415, `The file must be one of ${names.join(", ")}`);
  }
  // What a crash left behind: received, never attached.
  await db.delete(files).where(and(eq(files.size, 0), lt(files.createdAt, sql`now() - interval '1 hour'`)));
  const name = plainName(filename);
  await db.insert(files).values({ id, name, type });
  return { id, name, type, size: 0 };
}

/** By the first bytes: a name can claim anything. */
function typeOf(start: Buffer): FileType | undefined {
  const text = start.toString("latin1", 0, 16);
  if (text.startsWith("%PDF-")) return "application/pdf";
  if (text.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
  if (text.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (/^GIF8[79]a/.test(text)) return "image/gif";
  if (/^RIFF[\s\S]{4}WEBP/.test(text)) return "image/webp";
  return undefined;
}

/** The last part of a path, without anything a file system or a header could trip over. */
function plainName(filename: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
  const name = filename.replace(/^.*[\\/]/s, "").replace(/[\x00-\x1f\x7f"<>|:*?]/g, "_");
  return name.replace(/^\.+/, "").slice(-120) || "file";
}

/** Makes an upload part of the change: from now on it stays. */
export async function attach(tx: Transaction, file: Upload): Promise<string> {
  await tx.update(files).set({ size: file.size }).where(eq(files.id, file.id));
  return file.id;
}

export async function discard(db: Database, file: Upload): Promise<void> {
  await db.delete(files).where(and(eq(files.id, file.id), eq(files.size, 0)));
}

/** An attached file, read from the database as fast as the receiver takes it. */
export async function openFile(db: Database, id: string | null): Promise<Download> {
  const [file] = id ? await db.select().from(files).where(eq(files.id, id)) : [];
  if (!file || file.size === 0) throw refusal(404, "There is no such file");
  return { name: file.name, type: file.type, size: file.size, content: chunksOf(db, file.id) };
}

async function* chunksOf(db: Database, fileId: string): AsyncIterable<Uint8Array> {
  for (let position = 0; ; position++) {
    const [chunk] = await db
      .select()
      .from(fileChunks)
      .where(and(eq(fileChunks.fileId, fileId), eq(fileChunks.position, position)));
    if (!chunk) return;
    yield chunk.data;
  }
}

/** Whatever the file holds, the browser neither runs nor guesses at it. */
export function sendFile(reply: FastifyReply, file: Download) {
  const disposition = file.inline ? "inline" : "attachment";
  const ascii = file.name.replace(/[^\x20-\x7e]/g, "_");
  return reply
    .header("content-type", file.type)
    .header("content-length", file.size)
    .header(
      "content-disposition",
      `${disposition}; filename="${ascii}"; filename*=UTF-8''${encodeURIComponent(file.name)}`,
    )
    .header("content-security-policy", "default-src 'none'; sandbox")
    .header("cross-origin-resource-policy", "cross-origin")
    .header("cache-control", file.inline ? "public, max-age=31536000, immutable" : "private, no-store")
    .send(Readable.from(file.content, { objectMode: false }));
}
