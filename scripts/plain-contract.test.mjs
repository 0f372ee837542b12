// What the panel's build does with the contract.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { root, tool } from "./process.mjs";

const { build } = await import(tool("vite/dist/node/index.js"));
const web = join(root, "web");
const entry = join(web, "src", "entry.ts");

/** Builds a panel of this one file. @param {string} code @returns {Promise<string>} */
async function built(code) {
  const { output } = await build({
    root: web,
    configFile: join(web, "vite.config.ts"),
    logLevel: "silent",
    plugins: [
      {
        name: "entry",
        resolveId: (/** @type {string} */ id) => (id === entry ? id : undefined),
        load: (/** @type {string} */ id) => (id === entry ? code : undefined),
      },
    ],
    build: { write: false, rolldownOptions: { input: entry } },
  });
  return output.map((/** @type {{ code?: string }} */ chunk) => chunk.code ?? "").join("\n");
}

test("the panel gets paths and choices of the contract, without Zod", async () => {
  const code = await built(
    'import { orders, orderStatuses } from "@footprint/contract/orders.ts"; console.log(orders.list.path, orderStatuses);',
  );
  assert.match(code, /\/api\/v1\/admin\/orders\/read/);
  assert.match(code, /Refunded/);
  assert.doesNotMatch(code, /zod/i);
});

for (const [used, name] of [
  ["Order", "Order"],
  ["orders", "orders.list.reply"],
]) {
  test(`the build fails where the panel uses the schema ${name}, and says so`, async () => {
    const code = `import { ${used} } from "@footprint/contract/orders.ts"; console.log(${name});`;
    await assert.rejects(built(code), (/** @type {Error} */ error) => {
      assert.ok(error.message.includes(`entry.ts uses ${name} of contract/orders.ts`), error.message);
      return true;
    });
  });
}
