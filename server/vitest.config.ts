import { defineConfig } from "vitest/config";

/** They start the program itself, as its users do, or databases of their own. */
const programTests = "**/*.program.test.ts";
/** They look at HTTP alone: headers, bytes, what is let in, who may call what. The engines cannot differ there. */
const onOneEngine = [
  ...["accounts/reads.test.ts", "tests/bad-input.test.ts", "webhooks/sending.test.ts"],
  ...[
    "http/broken-http.test.ts",
    "http/collections.test.ts",
    "http/compression.test.ts",
    "http/panel.test.ts",
    "operations/logging.test.ts",
    "operations/deploy.test.ts",
  ],
  ...["tests/access.test.ts", "tests/security.test.ts", "tests/storefront-docs.test.ts"],
];
/** They look at a program beside the server, for which one engine is as good as the other. */
const onEmbeddedAlone = ["tests/client-package.test.ts"];
/** Only what hangs is stopped: a busy machine may take its time. */
const patience = { testTimeout: 300_000, hookTimeout: 300_000 };
const shared = { include: ["**/*.test.ts"], ...patience };
/** The files of one worker share a running server: starting one takes longer than most files. */
const onSharedServer = { ...shared, exclude: [programTests], setupFiles: ["testing/setup.ts"], isolate: false };

/** All other tests run on both engines; how the program starts, stops and moves between them is tested once. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...onSharedServer,
          name: "embedded",
          exclude: [programTests, ...onOneEngine],
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
          globalSetup: "testing/postgres.ts",
        },
      },
    ],
  },
});
