import { refusal } from "@footprint/contract/refusal.ts";
import type { Sharp } from "sharp";

/**
 * What was read from an image. `drawn` are the pixels that were read, as a PNG; undefined if the image could not be
 * opened.
 */
export type ImageRead = { qr: string[]; drawn: Buffer | undefined };

/** Larger images are not unpacked: a small file can hold a huge picture. */
const most = 4096;
/** The largest picture shown to customers. Codes are searched in it, and the reader also tries smaller sizes. */
const shownAt = 1024;
const patience = { seconds: 5 };

let reading: Promise<unknown> = Promise.resolve();

/**
 * Redraws an image and reads the QR codes in the drawing, since a file can look different elsewhere: by further frames,
 * transparency or colour profiles. Images are unpacked one at a time, in a thread of their own.
 */
export function readImage(bytes: Uint8Array): Promise<ImageRead> {
  const read = reading.then(() => drawAndRead(bytes));
  reading = read.catch(() => {});
  return read;
}

async function drawAndRead(bytes: Uint8Array): Promise<ImageRead> {
  // Loaded with the first image, so that no start waits for them.
  const [{ default: sharp }, { decodeQRBatch }] = await Promise.all([import("sharp"), import("qr/decode.js")]);
  sharp.concurrency(1);
  sharp.cache(false);
  // Reads only the header.
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
    // Cameras also read mirrored codes, tiny ones, and ones hardly darker than white.
    picture.clone().flop(),
    picture.clone().resize(2 * width, 2 * height),
    picture.clone().linear(4, -3 * 255),
  ];
  const found: unknown[] = [];
  for (const view of views) {
    const { data, info } = await view.raw().toBuffer({ resolveWithObject: true });
    const maxSize = { width: info.width, height: info.height };
    // The reader would otherwise take room for the largest of pictures.
    found.push(...(await decodeQRBatch([{ ...maxSize, data }], { timeLimit: 500, maxSize })).flat());
  }
  const qr = [...new Set(found.filter((text) => typeof text === "string"))];
  return { qr, drawn: await picture.png().toBuffer() };
}

const unopened: ImageRead = { qr: [], drawn: undefined };
