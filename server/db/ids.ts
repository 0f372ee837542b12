import { randomFillSync } from "node:crypto";

/** The last id's millisecond, and its count within that. */
const last = { at: 0, count: 0 };
/** Random bytes for many ids, used 16 at a time. */
const random = Buffer.alloc(4096);
let used = random.length;

/**
 * Makes ids that sort by time, so that new rows land at the end of their index. Ids that one process makes within a
 * millisecond sort too, so that the log has the steps of one change in order.
 */
export function uuidv7(now = Date.now()): string {
  if (used === random.length) {
    randomFillSync(random);
    used = 0;
  }
  const bytes = random.subarray(used, used + 16);
  used += 16;
  // Starts at random in the lower half, which leaves room for 2,048 more: no process makes as many in a millisecond.
  const count = now === last.at ? Math.min(last.count + 1, 0xfff) : bytes.readUInt16BE(6) & 0x7ff;
  last.at = now;
  last.count = count;
  bytes.writeUIntBE(now, 0, 6);
  bytes.writeUInt16BE(0x7000 | count, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
