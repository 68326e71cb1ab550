/** Hands over to the Runledger of the project that it is called in: its workflows were made with that one. */
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

if (isOldNode()) {
  const message = `Runledger needs Node 20.20 or later, and this is ${process.versions.node}. Install a newer one.`;
  console.error(`error NODE_TOO_OLD  ${message}`);
  process.exitCode = 2;
} else {
  const main = join(ofProject() ?? join(import.meta.dirname, ".."), "cli", "main.js");
  await import(pathToFileURL(main).href);
}

/** Asked before anything is loaded that such a Node might not understand. */
function isOldNode(): boolean {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  return major < 20 || (major === 20 && minor < 20);
}

/** Where its compiled modules are; null = there is none. */
function ofProject(): string | null {
  try {
    return dirname(createRequire(join(process.cwd(), "_")).resolve("runledger"));
  } catch {
    return null;
  }
}
