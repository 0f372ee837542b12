import { afterEach, beforeAll, beforeEach, expect, vi } from "vitest";
import { askedBesides } from "./asked-besides.ts";
import { beginAnew, startServer } from "./server.ts";

// At the product's cost, hashing would take longer than everything else in the tests of sign-in.
vi.mock("@node-rs/argon2", async (importOriginal) => {
  const argon2 = await importOriginal<typeof import("@node-rs/argon2")>();
  return { ...argon2, hash: (password: string) => argon2.hash(password, { memoryCost: 8, timeCost: 1 }) };
});

beforeAll(startServer);
beforeEach(beginAnew);
// The embedded engine has one connection, on which this would wait for ever.
afterEach(() => {
  expect(askedBesides(), "asked beside a transaction").toEqual([]);
});
