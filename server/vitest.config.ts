import { defineConfig } from "vitest/config";

/** They start the program itself, as its users do, or databases of their own. */
const programTests = "**/*.program.test.ts";
/** Where the engines could differ: see "Tests" in CONTRIBUTING.md. */
const onBothEngines = [
  // Money, and what is told of it.
  ...["money/*", "webhooks/delivering", "tests/race", "features/approvals", "features/fedex-charges"],
  ...[
    "features/invoices",
    "features/orders-together",
    "features/outbox",
    "features/statements",
    "features/storefront",
    "features/transfers",
  ],
  ...["features/transfers-reversals", "features/users"],
  // Searching, sorting and counting; timezones; extensions.
  ...["lists/*", "db/*", "features/search", "features/dashboard-figures", "features/label-types"],
  // One connection for everything: who waits for whom, and what is read while others write.
  ...["http/callers", "http/files", "http/floods", "http/overload", "accounts/log-chain"],
  ...["features/accounts", "features/events", "features/several"],
  // Every call once, many rows at once, and kills. The demo is loaded and removed there by the program's first start.
  ...["tests/every-call", "tests/seed", "operations/operations", "tests/torture"],
].map((name) => `${name}.test.ts`);
/** They look at a program beside the server, for which one engine is as good as the other. */
const onEmbeddedAlone = ["tests/client-package.test.ts"];
/** The embedded engine is not compiled a second time, for speed: in a program that ends soon that takes longer than it saves. */
const quickly = ["--liftoff-only"];
/** Only what hangs is stopped: a busy machine may take its time. */
const patience = { testTimeout: 300_000, hookTimeout: 300_000 };
const shared = { include: ["**/*.test.ts"], ...patience };
/** The files of one worker share a running server: starting one takes longer than most files. */
const onSharedServer = { ...shared, exclude: [programTests], setupFiles: ["testing/setup.ts"], isolate: false };

/** How the program starts, stops and moves between the engines is tested once. */
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
