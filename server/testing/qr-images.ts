import { crc32, deflateSync } from "node:zlib";
import encodeQR from "qr";

/** A picture of QR codes side by side, black on white, as PNG. */
export function qrImage(...texts: string[]): Buffer<ArrayBuffer> {
  const scale = 3;
  const codes = texts.map((text) => encodeQR(text, "raw", { border: 4 }));
  const height = Math.max(...codes.map((code) => code.length));
  const lines = Array.from({ length: height }, (_, y) =>
    codes.flatMap((code) => Array.from(code[0] ?? [], (_, x) => code[y]?.[x] ?? false)),
  );
  const rows = lines.flatMap((line) => {
    const row = Buffer.from([0, ...line.flatMap((isBlack) => Array(scale).fill(isBlack ? 0 : 255))]);
    return Array<Buffer>(scale).fill(row);
  });
  return pngOf((lines[0]?.length ?? 0) * scale, height * scale, deflateSync(Buffer.concat(rows)));
}

/** A grey PNG that claims this size, whatever its pixels are. */
export function pngOf(width: number, height: number, pixels: Buffer): Buffer<ArrayBuffer> {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 0, 0, 0, 0], 8);
  const signature = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
  return Buffer.concat([signature, chunk("IHDR", header), chunk("IDAT", pixels), chunk("IEND", Buffer.alloc(0))]);
}

/** The chunks of a PNG. */
export function chunksOf(png: Buffer): { type: string; data: Buffer }[] {
  const chunks: { type: string; data: Buffer }[] = [];
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const [type, data] = [png.toString("latin1", at + 4, at + 8), png.subarray(at + 8, at + 8 + length)];
    chunks.push({ type, data });
    at += length + 12;
  }
  return chunks;
}

/** A PNG with additional chunks before and after the pixels. */
export function pngWith(png: Buffer, before: [string, Buffer][], after: [string, Buffer][] = []): Buffer<ArrayBuffer> {
  const chunks = chunksOf(png).flatMap(({ type, data }) => [
    ...(type === "IDAT" ? before.map((extra) => chunk(...extra)) : []),
    ...(type === "IEND" ? after.map((extra) => chunk(...extra)) : []),
    chunk(type, data),
  ]);
  return Buffer.concat([png.subarray(0, 8), ...chunks]);
}

/** A PNG that shows one picture to programs without animation, and another to those with it. */
export function movingPng(still: Buffer, moving: Buffer): Buffer<ArrayBuffer> {
  const [, pixels] = chunksOf(moving);
  const [width, height] = [moving.readUInt32BE(16), moving.readUInt32BE(20)];
  const frame = Buffer.concat([numbers(0, width, height, 0, 0), Buffer.from([0, 10, 0, 10, 0, 0])]);
  return pngWith(
    still,
    [["acTL", numbers(1, 0)]],
    [
      ["fcTL", frame],
      ["fdAT", Buffer.concat([numbers(1), pixels?.data ?? Buffer.alloc(0)])],
    ],
  );
}

/** Numbers in PNG's format. */
export function numbers(...all: number[]): Buffer {
  const bytes = Buffer.alloc(all.length * 4);
  all.forEach((number, at) => {
    bytes.writeUInt32BE(number, at * 4);
  });
  return bytes;
}

function chunk(type: string, data: Buffer): Buffer {
  const content = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(content));
  return Buffer.concat([length, content, sum]);
}
