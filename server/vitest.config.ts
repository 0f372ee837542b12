import { defineConfig } from "vitest/config";

const shared = { include: ["**/*.test.ts"], exclude: ["start.test.ts"], testTimeout: 30_000, hookTimeout: 60_000 };

/** Every test runs on both engines; how the program starts and stops is tested once. */
export default defineConfig({
  test: {
    projects: [
      { test: { ...shared, name: "embedded", globalSetup: "testing/embedded.ts" } },
      { test: { ...shared, name: "postgres", globalSetup: "testing/postgres.ts" } },
      {
        test: { ...shared, name: "start", include: ["start.test.ts"], exclude: [], globalSetup: "testing/postgres.ts" },
      },
    ],
  },
});
