import { createHash } from "node:crypto";
import * as z from "zod";
import { StartError } from "../config.ts";

// The log and its chain as text: for each link a line, then one line for each of its rows. These texts are what the
// chain hashes, so whoever has them needs nothing else to check them.

/** The values of a link's text, in the order in which log-chain.ts writes them. */
const LinkLine = z.tuple([
  z.string(),
  z.int(),
  z.string(),
  z.string(),
  z.boolean(),
  z.array(z.string()),
  z.string().regex(/^[0-9a-f]*$/),
  z.int(),
  z.string(),
]);

export type LinkLine = {
  number: number;
  hash: string;
  hashBefore: string;
  untilAt: string;
  untilId: string;
  late: boolean;
  ids: string[];
  hashes: string;
  total: number;
  chainedAt: string;
};

/** A row of the log. `before` and `after` are JSON, `createdAt` is in seconds since 1970. */
export type RowLine = {
  id: string;
  admin: string;
  actorKind: string | null;
  actorId: string | null;
  type: string;
  action: string;
  before: string | null;
  after: string | null;
  createdAt: string;
  subjectKind: string | null;
  subjectId: string | null;
  customerId: string | null;
};

export type ChainLine = { text: string; link?: LinkLine; row?: RowLine };

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const hexLength = 64;

/** Takes the chain's lines one by one, beginning after a link, and refuses the first that does not fit. */
export function followChain({ number, hash }: { number: number; hash: string }) {
  let link: LinkLine | undefined;
  let left = 0;
  const end = { number, hash, rows: 0 };

  function takeLink(text: string): ChainLine {
    const [hashBefore, number, untilAt, untilId, late, ids, hashes, total, chainedAt] = LinkLine.parse(
      JSON.parse(text),
    );
    if (hashBefore !== end.hash || number !== end.number + 1 || hashes.length !== ids.length * hexLength)
      throw new StartError(`Link ${end.number + 1} of the log's chain does not follow from the one before`);
    link = { number, hash: sha256(text), hashBefore, untilAt, untilId, late, ids, hashes, total, chainedAt };
    left = ids.length;
    end.number = number;
    end.hash = link.hash;
    return { text, link };
  }

  function takeRow(text: string, { number, ids, hashes }: LinkLine): ChainLine {
    const place = ids.length - left;
    if (sha256(text) !== hashes.slice(place * hexLength, (place + 1) * hexLength))
      throw new StartError(`Log entry ${ids[place]} is not what link ${number} of the log's chain says`);
    left--;
    end.rows++;
    const [id, admin, actorKind, actorId, type, action, before, after, createdAt, subjectKind, subjectId, customerId] =
      JSON.parse(text);
    const who = { id, admin, actorKind, actorId };
    return { text, row: { ...who, type, action, before, after, createdAt, subjectKind, subjectId, customerId } };
  }

  return {
    take: (text: string): ChainLine => (link && left > 0 ? takeRow(text, link) : takeLink(text)),
    /** The last complete link so far; undefined in the middle of a link. */
    reached: () => (left > 0 ? undefined : end),
  };
}
