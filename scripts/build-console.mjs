/**
 * Builds the console into the package server, unless the build is newer than all of its
 * sources, so that a build without changes is fast.
 */
import { existsSync, statSync } from "node:fs";
import { filesBelow, inRepository } from "./lib/repository.mjs";
import { run, tool } from "./lib/spawn.mjs";

const OUTPUT = "packages/server/dist/web/index.html";
const SOURCES = ["src", "public"].map((folder) => `packages/console/${folder}`);
const LIBRARIES = ["client", "core", "contracts"].map((name) => `packages/${name}/dist`);
const SINGLE = ["index.html", "package.json", "vite.config.ts", "compress-plugin.ts", "worker-licenses-plugin.ts"].map(
  (name) => `packages/console/${name}`,
);

const inputs = [
  ...[...SOURCES, ...LIBRARIES].flatMap((folder) =>
    filesBelow(folder).filter((path) => !path.endsWith(".tsbuildinfo")),
  ),
  ...SINGLE,
  "package-lock.json",
];
const isCurrent = existsSync(inRepository(OUTPUT)) && inputs.every((path) => changedAt(path) <= changedAt(OUTPUT));

if (!isCurrent)
  process.exitCode = await run(tool("vite"), ["build", "--logLevel", "warn"], {
    cwd: inRepository("packages/console"),
  });

/** @param {string} path */
function changedAt(path) {
  return statSync(inRepository(path)).mtimeMs;
}
