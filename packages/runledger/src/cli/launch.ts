/** Hands over to the Runledger of the project that it is called in: its workflows were made with that one. */
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

const main = join(ofProject() ?? join(import.meta.dirname, ".."), "cli", "main.js");
await import(pathToFileURL(main).href);

/** Where its compiled modules are; null = there is none. */
function ofProject(): string | null {
  try {
    return dirname(createRequire(join(process.cwd(), "_")).resolve("runledger"));
  } catch {
    return null;
  }
}
