import { randomInt } from "node:crypto";
import { hash, verify } from "@node-rs/argon2";
import { dictionary } from "@zxcvbn-ts/language-common";
import { badInput } from "./errors.ts";

// OWASP's parameters for argon2id, the library's default algorithm.
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

export const hashPassword = (password: string) => hash(password, cost);

/** Checking a password for nobody costs as much as for somebody, so that time tells no usernames. */
const nobody = hashPassword("nobody's password");

export async function passwordMatches(passwordHash: string | undefined, password: string): Promise<boolean> {
  const matches = await verify(passwordHash ?? (await nobody), password);
  return matches && passwordHash !== undefined;
}

/** What guessers try first. Length is checked by the contract. */
export function isCommonPassword(password: string, username: string): boolean {
  const plain = password.toLowerCase();
  return plain === username.toLowerCase() || new Set(plain).size < 3 || common.has(plain) || nearby.test(plain);
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

/** Leaked lists agree on these; the contract has already refused shorter ones. */
const common = new Set(dictionary["passwords-common"].filter(({ length }) => length >= 8));
/** What someone would guess who knows the product, with a year or a mark behind it. */
const nearby = /^(footprint|shipping|labels?|tracking|admin|administrator|staff|reseller|fedex|usps|cashapp)[\d!?.]*$/;
