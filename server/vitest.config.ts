import { defineConfig } from "vitest/config";

/** These tests start the program itself, as its users do, or their own databases. */
const programTests = "**/*.program.test.ts";
/** Where the engines could differ: see "Tests" in CONTRIBUTING.md. */
const onBothEngines = [
  // Money.
  ...["money/*", "tests/race", "features/orders-together", "features/outbox", "features/statements"],
  ...["features/storefront", "features/transfers", "features/users"],
  // Searching, sorting and counting; timezones; extensions.
  ...["lists/counters", "lists/export", "lists/filters", "lists/paging", "lists/search-keys", "db/{schema,statements}"],
  ...["features/search", "features/dashboard-figures", "features/label-types"],
  // One connection for everything: locks, and reading while others write.
  ...["http/files", "http/floods", "http/overload", "accounts/log-chain"],
  ...["features/accounts", "features/events", "features/several"],
  // Every call once, many rows at once, and kills. Program tests load and remove the demo there.
  ...["tests/every-call", "tests/seed", "operations/operations", "tests/torture"],
].map((name) => `${name}.test.ts`);
/** These test a program beside the server, for which either engine will do. */
const onEmbeddedAlone = ["tests/client-package.test.ts"];
/** Compiling the embedded engine again for speed takes longer than it saves in a program that ends soon. */
const quickly = ["--liftoff-only"];
/** Generous for a busy machine: only a hanging test is stopped. */
const patience = { testTimeout: 300_000, hookTimeout: 300_000 };
const shared = { include: ["**/*.test.ts"], ...patience };
/** The files of one worker share a running server, since starting one takes longer than most files. */
const onSharedServer = { ...shared, exclude: [programTests], setupFiles: ["testing/setup.ts"], isolate: false };

/** Starting, stopping and moving between the engines is tested once. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...onSharedServer,
          name: "embedded",
          include: [...onBothEngines, ...onEmbeddedAlone],
          globalSetup: "testing/embedded.ts",
        },
      },
      {
        test: {
          ...onSharedServer,
          name: "postgres",
          exclude: [programTests, ...onEmbeddedAlone],
          globalSetup: "testing/postgres.ts",
        },
      },
      { root: "../client", test: { ...shared, name: "client" } },
      {
        test: {
          ...shared,
          name: "program",
          include: [programTests],
          execArgv: quickly,
          globalSetup: ["testing/postgres.ts", "testing/embedded.ts"],
        },
      },
    ],
  },
});
