import { randomInt } from "node:crypto";
import { badInput } from "@footprint/contract/refusal.ts";
import { hash, verify } from "@node-rs/argon2";
import { ZxcvbnFactory } from "@zxcvbn-ts/core";
import { adjacencyGraphs, dictionary } from "@zxcvbn-ts/language-common";

// OWASP's parameters for argon2id, the library's default algorithm.
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

export const hashPassword = (password: string) => hash(password, cost);

/** Checked for unknown usernames, so that timing does not tell which names exist. */
const nobody = hashPassword("nobody's password");

export async function passwordMatches(passwordHash: string | undefined, password: string): Promise<boolean> {
  const matches = await verify(passwordHash ?? (await nobody), password);
  return matches && passwordHash !== undefined;
}

let judge: ZxcvbnFactory | undefined;
/**
 * Estimates guesses as real guessers work: leaked passwords, words, names, years, keyboard walks, letters as digits.
 * Made when first needed, since sorting its words takes a tenth of a start.
 */
function judgeOfPasswords(): ZxcvbnFactory {
  judge ??= new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs, l33tMaxSubstitutions: 10 });
  return judge;
}
/** Words that somebody who knows the product would try, besides the username. */
const productWords = [
  "footprint",
  "shipping",
  "label",
  "labels",
  "tracking",
  "admin",
  "administrator",
  "staff",
  "reseller",
];
const nearbyToo = ["fedex", "usps", "cashapp", "paypal", "password", "passcode", "welcome"];

/** About as many as eight random letters need. */
const fewestGuesses = 1e8;
/** Longer passwords are not easier to guess, but judging them takes longer and longer. */
const judgedLength = 40;

/** Passwords that guessers try first. The contract checks the length. */
export function isCommonPassword(password: string, username: string): boolean {
  const start = password.slice(0, judgedLength);
  const guesses = (text: string) => judgeOfPasswords().check(text, [username, ...productWords, ...nearbyToo]).guesses;
  // Punctuation is what everybody adds when asked for it, so each mark counts at most as ten times as many guesses.
  const withoutMarks = start.replace(/[^\p{L}\p{N}]/gu, "");
  const marks = Math.min(start.length - withoutMarks.length, 3);
  return guesses(start) < fewestGuesses || guesses(withoutMarks) < fewestGuesses / 10 ** marks;
}

export function refuseCommonPassword(field: string, password: string, username: string) {
  if (isCommonPassword(password, username))
    throw badInput(`body.${field}`, "This password is too easy to guess. Choose another one.");
}

/** Four groups of five: about 98 bits. */
export const generatePassword = () => randomLetters(4, 5);

/** Groups of letters and digits to be typed from paper, without lookalikes: five bits each. */
export function randomLetters(groups: number, size: number): string {
  const letters = "abcdefghijkmnpqrstuvwxyz23456789";
  const group = () => Array.from({ length: size }, () => letters[randomInt(letters.length)]).join("");
  return Array.from({ length: groups }, group).join("-");
}
