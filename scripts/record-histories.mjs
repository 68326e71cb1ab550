/** `npm run histories`: records tests/histories again, from the current sources. */
import { build } from "esbuild";
import { pathToFileURL } from "node:url";
import { inRepository } from "./lib/repository.mjs";

const outfile = inRepository("node_modules/.cache/runledger-histories/record.mjs");
await build({
  entryPoints: [inRepository("tests/histories/record/main.ts")],
  tsconfig: inRepository("tsconfig.check.json"),
  external: ["pg"],
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  outfile,
  logLevel: "warning",
});
process.argv[2] = inRepository("tests/histories");
await import(pathToFileURL(outfile).href);
