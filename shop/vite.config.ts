import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

export default defineConfig({
  root: `${import.meta.dirname}/page`,
  plugins: [react()],
  // These are sources of this repository, not packages to pre-bundle.
  optimizeDeps: { exclude: ["@footprint/client", "@footprint/contract"] },
  build: { outDir: "../dist", emptyOutDir: true, target: "es2023", assetsInlineLimit: 0 },
});
