import { randomInt } from "node:crypto";
import { hash, verify } from "@node-rs/argon2";
import { refusal } from "./errors.ts";

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
export function refuseCommonPassword(password: string, username: string) {
  const plain = password.toLowerCase();
  if (plain === username.toLowerCase() || new Set(plain).size < 3 || common.has(plain))
    throw refusal(400, "This password is too easy to guess. Choose another one.");
}

/** Four groups of five: about 98 bits. */
export const generatePassword = () => randomLetters(4, 5);

/** Groups of letters and digits to be typed off a paper, without those that look alike: five bits each. */
export function randomLetters(groups: number, size: number): string {
  const letters = "abcdefghijkmnpqrstuvwxyz23456789";
  const group = () => Array.from({ length: size }, () => letters[randomInt(letters.length)]).join("");
  return Array.from({ length: groups }, group).join("-");
}

const common = new Set(
  `12345678 123456789 1234567890 0123456789 9876543210 87654321 987654321 11223344 12341234 123123123 12344321
  123456780 147258369 159753456 741852963 789456123 1q2w3e4r 1q2w3e4r5t 1qaz2wsx 1qazxsw2 q1w2e3r4 q1w2e3r4t5 qwertyui
  qwertyuiop qwerty12 qwerty123 qwerty1234 qwerty12345 qwertyqwerty asdfghjkl asdfasdf asdf1234 zxcvbnm1 zxcvbnm123
  abcd1234 abcdefgh abc12345 abc123456 a1b2c3d4 a12345678 aa123456 aa12345678 1234qwer 123qweasd 1234abcd 123abc123
  password password1 password12 password123 password1234 password! passw0rd p@ssw0rd p@ssword p4ssw0rd passwort
  passwords mypassword yourpassword changeme changeme1 changeme123 letmein1 letmein123 letmeinnow welcome1 welcome12
  welcome123 welcome1234 admin123 admin1234 admin12345 administrator adminadmin root1234 rootroot superuser iloveyou
  iloveyou1 iloveyou2 iloveyou123 sunshine sunshine1 princess princess1 football football1 baseball baseball1
  basketball superman superman1 batman123 spiderman starwars starwars1 pokemon1 pokemon123 naruto123 dragon123
  monkey123 shadow123 master123 michael1 jennifer jessica1 charlie1 jordan23 whatever trustno1 computer internet
  samsung1 google123 facebook linkedin liverpool chelsea1 arsenal1 barcelona realmadrid mercedes corvette mustang1
  snowball blink182 metallica slipknot nirvana1 november december september qwerasdf asdfqwer zaq12wsx zaq1zaq1
  11111111 22222222 88888888 99999999 00000000 111222333 112233445566 121212121 123321123 5201314520 1314520520
  testtest test1234 testing123 tester123 guest123 default1 footprint footprint1 footprint123`.split(/\s+/),
);
