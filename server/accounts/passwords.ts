import { randomInt } from "node:crypto";
import { badInput } from "@footprint/contract/refusal.ts";
import { hash, verify } from "@node-rs/argon2";
import { ZxcvbnFactory } from "@zxcvbn-ts/core";
import { adjacencyGraphs, dictionary } from "@zxcvbn-ts/language-common";

// OWASP's parameters for argon2id, the library's default algorithm.
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

export const hashPassword = (password: string) => hash(password, cost);

/** Checking a password for nobody costs as much as for somebody, so that time tells no usernames. */
const nobody = hashPassword("nobody's password");

export async function passwordMatches(passwordHash: string | undefined, password: string): Promise<boolean> {
  const matches = await verify(passwordHash ?? (await nobody), password);
  return matches && passwordHash !== undefined;
}

/** Counts guesses as guessers go about it: leaked passwords, words, names, years, keyboard walks, letters as digits. */
const judge = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs, l33tMaxSubstitutions: 10 });
/** What someone would guess who knows the product, beside the username. */
const nearby = ["footprint", "shipping", "label", "labels", "tracking", "admin", "administrator", "staff", "reseller"];
const nearbyToo = ["fedex", "usps", "cashapp", "paypal", "password", "passcode", "welcome"];

/** As many as eight letters at random would take. */
const enoughGuesses = 1e8;
/** Beyond this nothing gets easier to guess, and judging it takes longer and longer. */
const judged = 40;

/** What guessers try first. Length is checked by the contract. */
export function isCommonPassword(password: string, username: string): boolean {
  const start = password.slice(0, judged);
  const guesses = (text: string) => judge.check(text, [username, ...nearby, ...nearbyToo]).guesses;
  // Marks are what everybody adds when one is asked for: each makes ten times as many guesses at the most.
  const withoutMarks = start.replace(/[^\p{L}\p{N}]/gu, "");
  const marks = Math.min(start.length - withoutMarks.length, 3);
  return guesses(start) < enoughGuesses || guesses(withoutMarks) < enoughGuesses / 10 ** marks;
}

export function refuseCommonPassword(field: string, password: string, username: string) {
  if (isCommonPassword(password, username))
    throw badInput(`body.${field}`, "This password is too easy to guess. Choose another one.");
}

/** Four groups of five: about 98 bits. */
export const generatePassword = () => randomLetters(4, 5);

/** Groups of letters and digits to be typed off a paper, without those that look alike: five bits each. */
export function randomLetters(groups: number, size: number): string {
  const letters = "abcdefghijkmnpqrstuvwxyz23456789";
  const group = () => Array.from({ length: size }, () => letters[randomInt(letters.length)]).join("");
  return Array.from({ length: groups }, group).join("-");
}
