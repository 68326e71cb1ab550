import { existsSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { InputError } from "@runledger/contracts";

const COMPILED = ["runledger.config.js", "runledger.config.mjs"];
const SOURCES = ["runledger.config.ts", "runledger.config.mts"];

export interface ConfigLookup {
  readonly cwd: string;
  /** Path given by the user. Disables the search. */
  readonly file?: string | undefined;
  /** Production loads compiled JavaScript; development prefers TypeScript. */
  readonly production: boolean;
}

/**
 * Finds the nearest configuration in the working directory, or above it within the same project. Loading a configuration runs
 * its code, so a file that another user has put into a parent folder must not be found.
 */
export function findConfig(lookup: ConfigLookup): string {
  const file = lookup.file === undefined ? search(lookup) : explicitConfig(lookup, lookup.file);
  if (lookup.production && /\.m?ts$/.test(file)) throw notCompiled(file);
  return file;
}

function search({ cwd, production }: ConfigLookup): string {
  const names = production ? [...COMPILED, ...SOURCES] : [...SOURCES, ...COMPILED];
  const start = resolve(cwd);
  const root = projectRoot(start);
  for (let folder = start; ; folder = dirname(folder)) {
    const found = names.map((name) => join(folder, name)).find((file) => existsSync(file));
    if (found !== undefined) return folder === start ? found : checkOwner(found);
    if (folder === root)
      throw notFound(`no runledger.config.ts found ${folder === start ? "in" : `from ${start} up to`} ${root}`);
  }
}

/** Returns the root of the Git repository, or else the nearest folder with a package.json, or else the folder itself. */
function projectRoot(start: string): string {
  return nearestWith(start, ".git") ?? nearestWith(start, "package.json") ?? start;
}

function nearestWith(start: string, name: string): string | null {
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, name))) return folder;
    if (folder === dirname(folder)) return null;
  }
}

/** Refuses a file above the working directory that belongs to another user, except root. */
function checkOwner(file: string): string {
  const uid = process.getuid?.();
  const owner = statSync(file).uid;
  if (uid === undefined || owner === uid || owner === 0) return file;
  const remedy = `Check the file, then pass it with --config ${file}.`;
  throw new InputError("CONFIG_INVALID", "config", `${file} belongs to another user (uid ${owner}). ${remedy}`);
}

function explicitConfig({ cwd }: ConfigLookup, name: string): string {
  const file = resolve(cwd, name);
  if (existsSync(file)) return file;
  throw notFound(`file ${file} does not exist`);
}

function notFound(what: string): InputError {
  const remedy = "Create a project with npx runledger init, or pass the configuration with --config.";
  return new InputError("CONFIG_NOT_FOUND", "config", `${what}. ${remedy}`);
}

function notCompiled(file: string): InputError {
  const remedy = "Compile the project and pass the result, such as --config dist/runledger.config.js.";
  return new InputError(
    "CONFIG_INVALID",
    "config",
    `${file} is TypeScript, but production loads JavaScript only. ${remedy}`,
  );
}
