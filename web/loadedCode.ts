import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";

const file = fileURLToPath(import.meta.resolve("./src/shared/loadCode.ts"));

/** Puts `withFiles` in the place of what Vite does before dynamic imports. */
export function loadedCode(): Plugin {
  return {
    name: "loaded-code",
    apply: "build",
    enforce: "pre",
    load: (id) =>
      id === "\0vite/preload-helper.js"
        ? `export { withFiles as __vitePreload } from ${JSON.stringify(file)};`
        : undefined,
  };
}
