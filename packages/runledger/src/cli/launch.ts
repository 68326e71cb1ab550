/** Runs the Runledger that is installed in the current project, because the project's workflows depend on that version. */
import module, { createRequire } from "node:module";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

if (isOldNode()) {
  const message = `Runledger needs Node 20.20 or later; this is ${process.versions.node}. Install a newer version.`;
  console.error(`error NODE_TOO_OLD  ${message}`);
  process.exitCode = 2;
} else {
  enableCompileCache();
  const main = join(findProjectInstallation() ?? join(import.meta.dirname, ".."), "cli", "main.js");
  await import(pathToFileURL(main).href);
}

/** Runs before any module is loaded that an old Node might not parse. */
function isOldNode(): boolean {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  return major < 20 || (major === 20 && minor < 20);
}

/** Caches compiled code in Node 22.8 and later. Failures are ignored. */
function enableCompileCache(): void {
  const { enableCompileCache: enable } = module as { enableCompileCache?: (folder: string) => unknown };
  try {
    const cache = process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"); // not /tmp, where other users could place code
    enable?.(join(cache, "runledger", "compiled"));
  } catch {
    return; // there is no home folder
  }
}

/** Returns the folder of the compiled modules; `null` if the project has no Runledger. */
function findProjectInstallation(): string | null {
  try {
    return dirname(createRequire(join(process.cwd(), "_")).resolve("runledger"));
  } catch {
    return null;
  }
}
