import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import type { Download, Endpoint, FileType } from "@footprint/contract/endpoint.ts";
import { refusal } from "@footprint/contract/refusal.ts";
import { and, eq, sql } from "drizzle-orm";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Database, Transaction } from "../db/database.ts";
import { uuidv7 } from "../db/ids.ts";
import { fileChunks, files } from "../db/schema.ts";

/** A file that was received but belongs to nothing until `attach` is called in the change's transaction. */
export type Upload = { id: string; name: string; type: FileType; size: number; contentHash: string };

type Form = { fields: Record<string, unknown>; file: Upload | undefined };
/** Runs work in the caller's turn. */
export type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

type Rules = NonNullable<Endpoint["upload"]>;

/** The endings that each type may have, the usual one first. */
const endings: Record<FileType, readonly string[]> = {
  "application/pdf": [".pdf"],
  "image/png": [".png"],
  "image/jpeg": [".jpg", ".jpeg"],
  "image/webp": [".webp"],
  "image/gif": [".gif"],
  "text/csv": [".csv", ".txt", ".tsv"],
};

const megabyte = 1024 * 1024;
const chunkBytes = megabyte / 4;
const fieldLimits = { files: 1, fields: 20, fieldSize: 16 * 1024 };
/** The size of a form besides its file: fields, names, boundaries, and data in transit. */
const formOverhead = megabyte;

/**
 * Reads a multipart form: its text fields, and at most one file, stored piece by piece as it arrives. Each piece is a
 * statement of its own, so that nobody waits for a slow sender.
 */
export async function receiveForm(db: Database, request: FastifyRequest, rules: Rules, inTurn: InTurn): Promise<Form> {
  const form: Form = { fields: {}, file: undefined };
  const tooLarge = refusal(413, `A file has at most ${rules.maxBytes / megabyte} MB`);
  // A sender who announces too large a body need not send it.
  if (Number(request.headers["content-length"]) > rules.maxBytes + formOverhead) throw tooLarge;
  const overrun = rejectedBeyond(() => (form.file?.size ?? 0) + formOverhead, request, tooLarge);
  const parts = request.parts({ limits: { ...fieldLimits, fileSize: rules.maxBytes + 1 } });
  try {
    for await (const part of received(parts, overrun)) {
      if (part.type === "file") await store(db, form, part, rules, overrun, tooLarge, inTurn);
      else if (part.valueTruncated) throw refusal(413, `${part.fieldname} is too long`);
      else form.fields[part.fieldname] = part.value;
    }
  } catch (error) {
    if (form.file) await discard(db, form.file);
    throw error;
  }
  return form;
}

/**
 * The parser limits the parts it returns, but not what it skips: a preamble, or a part without a name, could be
 * endless.
 */
function rejectedBeyond(most: () => number, request: FastifyRequest, reason: Error): Promise<never> {
  const overrun = new Promise<never>((_, reject) => {
    let bytes = 0;
    request.raw.on("data", (data: Buffer) => {
      bytes += data.length;
      if (bytes > most()) reject(reason);
    });
  });
  overrun.catch(() => {});
  return overrun;
}

async function* received<T>(source: AsyncIterable<T>, overrun: Promise<never>): AsyncGenerator<T> {
  const iterator = source[Symbol.asyncIterator]();
  for (;;) {
    const next = await Promise.race([iterator.next().catch(blameSender), overrun]);
    if (next.done) return;
    yield next.value;
  }
}

/** Errors while reading are the sender's fault: a form cut short, or no form at all. */
function blameSender({ code }: { code?: string }): never {
  if (code === "FST_FILES_LIMIT") throw refusal(400, "Send one file only");
  if (code === "FST_FIELDS_LIMIT" || code === "FST_PARTS_LIMIT") throw refusal(413, "The form has too many fields");
  throw refusal(400, "The form is not valid multipart data");
}

type FilePart = { fieldname: string; filename: string | undefined; file: Readable };

async function store(
  db: Database,
  form: Form,
  part: FilePart,
  { field, maxBytes, types }: Rules,
  overrun: Promise<never>,
  tooLarge: Error,
  inTurn: InTurn,
): Promise<void> {
  if (part.fieldname !== field) throw refusal(400, `Send the file as ${field}`);
  let position = 0;
  const hash = createHash("sha256");
  for await (const data of inChunks(received(part.file, overrun))) {
    form.file ??= await inTurn(() => begin(db, part.filename ?? "", data, types));
    form.file.size += data.length;
    hash.update(data);
    if (form.file.size > maxBytes) throw tooLarge;
    const piece = { fileId: form.file.id, position: position++, data: asBase64(data) };
    await inTurn(async () => db.insert(fileChunks).values(piece));
  }
  if (form.file) form.file.contentHash = hash.digest("hex");
  // A form sent without choosing a file has an empty one without a name.
  else if (part.filename) throw refusal(400, "The file is empty");
}

/** As base64, since the embedded engine takes several times the processor time for bytes. */
const asBase64 = (data: Buffer) => sql`decode(${data.toString("base64")}, 'base64')`;
const inBase64 = sql<string>`encode(${fileChunks.data}, 'base64')`;

async function* inChunks(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    held.push(piece);
    bytes += piece.length;
    if (bytes < chunkBytes) continue;
    yield Buffer.concat(held);
    held = [];
    bytes = 0;
  }
  if (bytes > 0) yield Buffer.concat(held);
}

async function begin(db: Database, filename: string, start: Buffer, types: readonly FileType[]): Promise<Upload> {
  const type = typeOf(start) ?? (isText(start) ? "text/csv" : undefined);
  if (!type || !types.includes(type)) {
    const names = types.map((known) => known.replace(/^.*\//, "").toUpperCase());
    throw refusal(415, `The file must be one of ${names.join(", ")}`);
  }
  const file = { id: uuidv7(), name: properName(filename, type), type };
  await db.insert(files).values(file);
  return { ...file, size: 0, contentHash: "" };
}

/** Goes by the first bytes, since a name can claim anything. */
function typeOf(start: Buffer): FileType | undefined {
  const text = start.toString("latin1", 0, 16);
  if (text.startsWith("%PDF-")) return "application/pdf";
  if (text.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
  if (text.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (/^GIF8[79]a/.test(text)) return "image/gif";
  if (/^RIFF[\s\S]{4}WEBP/.test(text)) return "image/webp";
  return undefined;
}

/** Other files soon contain zeros. Text with two bytes a letter has a mark, or a zero in every second byte. */
function isText(start: Buffer): boolean {
  const text = start.toString("latin1", 0, 4096);
  return /^(\xff\xfe|\xfe\xff)|^([^\0]\0){4}|^(\0[^\0]){4}/.test(text) || !text.includes("\0");
}

/**
 * The last part of a path, without invisible characters or any that trouble a file system. The ending follows the type,
 * since whoever saves the file opens it by that.
 */
function properName(filename: string, type: FileType): string {
  const name = filename
    .replace(/^.*[\\/]/s, "")
    .replace(/[\p{C}\p{Zl}\p{Zp}"<>|:*?]/gu, "_")
    .replace(/^\.+/, "");
  const isProper = endings[type].some((ending) => name.toLowerCase().endsWith(ending));
  const stem = name.replace(/\.[a-z]\w{0,9}$/i, "") || "file";
  const proper = isProper ? name : `${stem}${endings[type][0]}`;
  return [...proper].slice(-120).join("");
}

/** Makes an upload part of the change, so that it is kept. */
export async function attach(tx: Transaction, file: Upload): Promise<string> {
  const { id, size, contentHash } = file;
  await tx.update(files).set({ size, contentHash }).where(eq(files.id, id));
  return id;
}

/** Stores a file that the server made from an upload, under the upload's name. */
export async function storeMade(
  tx: Transaction,
  made: { name: string; type: FileType; data: Buffer },
): Promise<string> {
  const { type, data } = made;
  const contentHash = createHash("sha256").update(data).digest("hex");
  const file = { id: uuidv7(), name: properName(made.name, type), type, size: data.length, contentHash };
  await tx.insert(files).values(file);
  for (let position = 0; position * chunkBytes < data.length; position++) {
    const piece = data.subarray(position * chunkBytes, (position + 1) * chunkBytes);
    await tx.insert(fileChunks).values({ fileId: file.id, position, data: asBase64(piece) });
  }
  return file.id;
}

/** Removes a file that nothing refers to any more. */
export async function remove(tx: Transaction, id: string): Promise<void> {
  await tx.delete(files).where(eq(files.id, id));
}

/** Removes an upload that was not attached. */
export async function discard(db: Database, file: Upload): Promise<void> {
  await db.delete(files).where(and(eq(files.id, file.id), eq(files.size, 0)));
}

/** A whole file at once, for files small enough to be processed in memory. */
export async function readWhole(db: Database, { id }: Pick<Upload, "id">): Promise<Buffer> {
  const rows = await db
    .select({ data: inBase64 })
    .from(fileChunks)
    .where(eq(fileChunks.fileId, id))
    .orderBy(fileChunks.position);
  return Buffer.concat(rows.map(({ data }) => Buffer.from(data, "base64")));
}

/** The name of an attached file, for lists and logs. */
export async function fileName(db: Database | Transaction, id: string | null): Promise<string | null> {
  const [file] = id ? await db.select({ name: files.name }).from(files).where(eq(files.id, id)) : [];
  return file?.name ?? null;
}

/** An attached file, read from the database as fast as the receiver takes it. */
export async function openFile(db: Database, id: string): Promise<Download> {
  const [file] = await db.select().from(files).where(eq(files.id, id));
  if (!file) throw refusal(404, "This file was replaced a moment ago");
  // The file may be older than the rule about endings.
  const name = properName(file.name, file.type as FileType);
  return { name, type: file.type, size: file.size, content: chunksOf(db, file) };
}

/** A whole file at once, for small files. */
export async function bytesOf(db: Database, file: { id: string; size: number }): Promise<Buffer> {
  return Buffer.concat(await Readable.from(chunksOf(db, file)).toArray());
}

/** The id and the size of an attached file. */
export async function storedFile(db: Database, id: string | null) {
  const [file] = id ? await db.select().from(files).where(eq(files.id, id)) : [];
  return file;
}

let kept: { id: string; file: Download } | undefined;

/** A public file, read once and kept in memory until another one is asked for. */
export async function openPublicFile(db: Database, id: string): Promise<Download> {
  if (kept?.id === id) return kept.file;
  const file = await openFile(db, id);
  const content = Buffer.concat(await Readable.from(file.content).toArray());
  kept = { id, file: { ...file, inline: true, content: [content] } };
  return kept.file;
}

async function* chunksOf(db: Database, file: { id: string; size: number }): AsyncGenerator<Buffer> {
  let sent = 0;
  for (let position = 0; sent < file.size; position++) {
    const [chunk] = await db
      .select({ data: inBase64 })
      .from(fileChunks)
      .where(and(eq(fileChunks.fileId, file.id), eq(fileChunks.position, position)));
    // Breaks the download off, so that nobody takes half a file for a whole one.
    if (!chunk) throw new Error(`file ${file.id} was replaced while it was read`);
    const data = Buffer.from(chunk.data, "base64");
    sent += data.length;
    yield data;
  }
}

/** Whatever the file contains, the browser must neither run it nor guess its type. */
export function sendFile(reply: FastifyReply, { name, type, size, rows, inline, content }: Download) {
  reply
    .header("content-type", type)
    .header("content-disposition", disposition(inline ? "inline" : "attachment", name))
    .header("content-security-policy", "default-src 'none'; frame-ancestors 'none'; sandbox")
    .header("cache-control", inline ? "public, max-age=31536000, immutable" : "private, no-store");
  if (size !== undefined) reply.header("content-length", size);
  if (rows !== undefined) reply.header("x-total-rows", rows);
  // Pages elsewhere may show it: the panel need not be on the API's host.
  if (inline) reply.header("cross-origin-resource-policy", "cross-origin");
  return reply.send(Readable.from(content, { objectMode: false }));
}

/** RFC 6266: the name reduced to ASCII, and the full name for clients that understand it. */
function disposition(kind: "inline" | "attachment", name: string): string {
  const ascii = name.replace(/[^\x20-\x7e]|["\\%]/g, "_");
  const whole = encodeURIComponent(name).replace(/['()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16)}`);
  return `${kind}; filename="${ascii}"; filename*=UTF-8''${whole}`;
}
