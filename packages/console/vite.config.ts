import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { compressPlugin } from "./compress-plugin.js";
import { workerLicenses } from "./worker-licenses-plugin.js";

const LICENSES = "licenses.md";
const licenses = workerLicenses(LICENSES);

/** Builds into the server package, which serves the files from there. */
export default defineConfig({
  plugins: [react(), compressPlugin(), licenses.ofPage],
  css: { transformer: "lightningcss", lightningcss: { drafts: { customMedia: true } } }, // for breakpoints.css
  worker: { format: "es", plugins: () => [licenses.ofWorkers] },
  build: {
    outDir: "../server/dist/web",
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0, // the content security policy forbids data: URLs
    modulePreload: { polyfill: false },
    license: { fileName: LICENSES },
    reportCompressedSize: false,
  },
  server: { proxy: { "/api": "http://127.0.0.1:7373" } },
});
