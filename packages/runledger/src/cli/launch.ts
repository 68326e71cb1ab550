/** Hands over to the Runledger of the project that it is called in: its workflows were made with that one. */
import module, { createRequire } from "node:module";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

if (isOldNode()) {
  const message = `Runledger needs Node 20.20 or later, and this is ${process.versions.node}. Install a newer one.`;
  console.error(`error NODE_TOO_OLD  ${message}`);
  process.exitCode = 2;
} else {
  keepCompiled();
  const main = join(ofProject() ?? join(import.meta.dirname, ".."), "cli", "main.js");
  await import(pathToFileURL(main).href);
}

/** Asked before anything is loaded that such a Node might not understand. */
function isOldNode(): boolean {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  return major < 20 || (major === 20 && minor < 20);
}

/** What Node has compiled once it need not compile again (22.8 and later). Where that cannot be kept, nothing is lost. */
function keepCompiled(): void {
  const { enableCompileCache } = module as { enableCompileCache?: (folder: string) => unknown };
  try {
    const cache = process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"); // not /tmp: code is run from there
    enableCompileCache?.(join(cache, "runledger", "compiled"));
  } catch {
    return; // no home
  }
}

/** Where its compiled modules are; null = there is none. */
function ofProject(): string | null {
  try {
    return dirname(createRequire(join(process.cwd(), "_")).resolve("runledger"));
  } catch {
    return null;
  }
}
