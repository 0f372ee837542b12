import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { loadedCode } from "./loadedCode.ts";
import { plainContract } from "./plainContract.ts";

export default defineConfig({
  root: import.meta.dirname,
  plugins: [plainContract(), loadedCode(), react()],
  define: { __API_HOST__: JSON.stringify(process.env.API_HOST ?? "") },
  // The contract is source of this repository, not a package to bundle ahead.
  optimizeDeps: { exclude: ["@footprint/contract"] },
  server: { port: 5173, strictPort: true },
  build: {
    outDir: "dist",
    emptyOutDir: true,
    manifest: true,
    target: "es2023",
    // A file that needs no others is fetched ahead too.
    modulePreload: {
      resolveDependencies: (file, needed, { hostType }) => (hostType === "js" && !needed.length ? [file] : needed),
    },
    assetsInlineLimit: 0,
    rolldownOptions: {
      output: {
        // Each with all that it imports and the ones before do not have; otherwise a list would be made of 67 files.
        codeSplitting: {
          groups: [
            { name: "start", test: /src\/main\.tsx$/, priority: 4 },
            {
              name: "panel",
              test: /layout\/(router|Layout)\.tsx$|shared\/(queries|leaving|session|lazyPart)\.tsx?$/,
              priority: 3,
            },
            { name: "list", test: /shared\/(ListScreen|CustomerLink|filters|buttons|OrderStatus)\.tsx$/, priority: 2 },
            { name: "icons", test: /tabler/, priority: 1 },
          ],
        },
      },
    },
  },
});
