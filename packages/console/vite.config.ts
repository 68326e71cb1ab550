import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { compressed } from "./compressed.js";

/** The output is part of the package runledger, whose server looks for it there. */
export default defineConfig({
  plugins: [react(), compressed()],
  worker: { format: "es" },
  build: {
    outDir: "../runledger/dist/console",
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0, // the content security policy has no place for data: addresses of code
    modulePreload: { polyfill: false },
    license: { fileName: "licenses.md" },
    reportCompressedSize: false,
  },
  server: { proxy: { "/api": "http://127.0.0.1:7373" } },
});
