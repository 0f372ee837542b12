import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";
import * as zod from "zod";

/**
 * The panel takes types, paths and methods from the contract, never a schema: the server parses. So inside the
 * contract `zod` becomes one stand-in value, which keeps the library (and its eval probe, which the CSP reports) out
 * of every page.
 */
function contractWithoutZod(): Plugin {
  const stub = "\0contract-without-zod";
  return {
    name: "contract-without-zod",
    enforce: "pre",
    resolveId: (source, importer) => (source === "zod" && importer?.includes("/contract/") ? stub : undefined),
    load: (id) =>
      id === stub
        ? `const used = ["options", "enum", "shape", "parse", "safeParse", "decode", "encode"];
           const schema = new Proxy(() => schema, {
             get(_, name) {
               if (used.includes(name)) throw new Error("Schemas are not part of the panel: " + name + ". Export a plain value from the contract.");
               return schema;
             },
           });
           export { ${Object.keys(zod)
             .map((name) => `schema as ${name}`)
             .join(", ")} };`
        : undefined,
  };
}

export default defineConfig({
  root: import.meta.dirname,
  plugins: [contractWithoutZod(), react()],
  define: { __API_HOST__: JSON.stringify(process.env.API_HOST ?? "") },
  // The contract is source of this repository, not a package to bundle ahead.
  optimizeDeps: { exclude: ["@footprint/contract"] },
  server: { port: 5173, strictPort: true },
  build: { outDir: "dist", emptyOutDir: true, manifest: true, target: "es2023", assetsInlineLimit: 0 },
});
