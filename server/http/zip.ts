import { crc32 } from "node:zlib";

/** An uncompressed ZIP file of these texts; the reply itself is compressed. */
export function zip(files: Record<string, string>): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [path, text] of Object.entries(files)) {
    const name = Buffer.from(path);
    const content = Buffer.from(text);
    const head = headOf(name, content);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(20, 4);
    head.copy(entry, 6, 4, 30);
    entry.writeUInt32LE(offset, 42);
    directory.push(entry, name);
    parts.push(head, name, content);
    offset += head.length + name.length + content.length;
  }
  const entries = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  for (const place of [8, 10]) end.writeUInt16LE(Object.keys(files).length, place);
  end.writeUInt32LE(entries.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, entries, end]);
}

/** The header in front of a file, repeated by the directory at the end. */
function headOf(name: Buffer, content: Buffer): Buffer {
  const head = Buffer.alloc(30);
  head.writeUInt32LE(0x04034b50, 0);
  head.writeUInt16LE(20, 4);
  // Flag: names are UTF-8.
  head.writeUInt16LE(0x0800, 6);
  // The first day that a ZIP file can hold, so that the same files give the same bytes.
  head.writeUInt16LE(0x0021, 12);
  head.writeUInt32LE(crc32(content), 14);
  for (const place of [18, 22]) head.writeUInt32LE(content.length, place);
  head.writeUInt16LE(name.length, 26);
  return head;
}
