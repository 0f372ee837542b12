import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { plainContract } from "./plainContract.ts";

export default defineConfig({
  root: import.meta.dirname,
  plugins: [plainContract(), react()],
  define: { __API_HOST__: JSON.stringify(process.env.API_HOST ?? "") },
  // The contract is source of this repository, not a package to bundle ahead.
  optimizeDeps: { exclude: ["@footprint/contract"] },
  server: { port: 5173, strictPort: true },
  build: { outDir: "dist", emptyOutDir: true, manifest: true, target: "es2023", assetsInlineLimit: 0 },
});
