import { refusal } from "@footprint/contract/refusal.ts";
import type { Sharp } from "sharp";

/** What was read of an image; `drawn` are the pixels that were looked at, as PNG, unless it could not be opened. */
export type ImageRead = { qr: string[]; drawn: Buffer | undefined };

/** Beyond this an image is not unpacked: a small file can hold a very large picture. */
const most = 4096;
/** Customers see a picture of at most this size, in which the codes are looked for; the reader looks at smaller ones too. */
const shownAt = 1024;
const patience = { seconds: 5 };

let reading: Promise<unknown> = Promise.resolve();

/**
 * Draws an image anew and reads the drawing's QR codes: a file may show other things elsewhere, by further pictures, by
 * what is transparent, by how its colours are meant. One at a time is unpacked, by a thread of its own.
 */
export function readImage(bytes: Uint8Array): Promise<ImageRead> {
  const read = reading.then(() => drawAndRead(bytes));
  reading = read.catch(() => {});
  return read;
}

async function drawAndRead(bytes: Uint8Array): Promise<ImageRead> {
  // Loaded when the first image is looked at, so that no start waits for them.
  const [{ default: sharp }, { decodeQRBatch }] = await Promise.all([import("sharp"), import("qr/decode.js")]);
  sharp.concurrency(1);
  sharp.cache(false);
  // Its head alone is read for this.
  const metadata = await sharp(bytes, { limitInputPixels: false })
    .metadata()
    .catch(() => undefined);
  if (!metadata) return unopened;
  if (metadata.width > most || (metadata.pageHeight ?? metadata.height) > most)
    throw refusal(413, `An image has at most ${most} by ${most} pixels`);
  const pixels = await sharp(bytes, { limitInputPixels: most * most, failOn: "none" })
    .timeout(patience)
    .autoOrient()
    .flatten({ background: "#fff" })
    .toColourspace("srgb")
    .resize(shownAt, shownAt, { fit: "inside", withoutEnlargement: true })
    .raw()
    .toBuffer({ resolveWithObject: true })
    .catch(() => undefined);
  if (!pixels) return unopened;
  const { width, height, channels } = pixels.info;
  const picture = sharp(pixels.data, { raw: { width, height, channels } });
  const views: Sharp[] = [
    picture.clone(),
    // Cameras read a code in a mirror too, a tiny one, and one that is only a little darker than white.
    picture.clone().flop(),
    picture.clone().resize(2 * width, 2 * height),
    picture.clone().linear(4, -3 * 255),
  ];
  const found: unknown[] = [];
  for (const view of views) {
    const { data, info } = await view.raw().toBuffer({ resolveWithObject: true });
    found.push(...(await decodeQRBatch([{ width: info.width, height: info.height, data }], { timeLimit: 500 })).flat());
  }
  const qr = [...new Set(found.filter((text) => typeof text === "string"))];
  return { qr, drawn: await picture.png().toBuffer() };
}

const unopened: ImageRead = { qr: [], drawn: undefined };
