import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { InputError } from "@runledger/contracts";

const COMPILED = ["runledger.config.js", "runledger.config.mjs"];
const SOURCES = ["runledger.config.ts", "runledger.config.mts"];

export interface WhereToLook {
  readonly cwd: string;
  /** Named by the caller: no other is looked for. */
  readonly file?: string | undefined;
  /** Production runs what was compiled; development prefers what was written. */
  readonly production: boolean;
}

/** The configuration that stands nearest, from the working directory upwards. */
export function findConfig(where: WhereToLook): string {
  const file = where.file === undefined ? search(where) : named(where, where.file);
  if (where.production && /\.m?ts$/.test(file)) throw notCompiled(file);
  return file;
}

function search({ cwd, production }: WhereToLook): string {
  const names = production ? [...COMPILED, ...SOURCES] : [...SOURCES, ...COMPILED];
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    const found = names.map((name) => join(folder, name)).find((file) => existsSync(file));
    if (found !== undefined) return found;
    if (folder === dirname(folder)) throw notFound(`there is no runledger.config.ts in ${resolve(cwd)} or above it`);
  }
}

function named({ cwd }: WhereToLook, name: string): string {
  const file = resolve(cwd, name);
  if (existsSync(file)) return file;
  throw notFound(`there is no file ${file}`);
}

function notFound(what: string): InputError {
  const remedy = `write one that exports defineConfig({ workflows: ["./workflows/**/*.ts"] }), or name it with --config.`;
  return new InputError("CONFIG_NOT_FOUND", "config", `${what}; ${remedy}`);
}

function notCompiled(file: string): InputError {
  const remedy = "compile the project and name the result, as in --config dist/runledger.config.js.";
  return new InputError(
    "CONFIG_INVALID",
    "config",
    `${file} is TypeScript, and production loads JavaScript; ${remedy}`,
  );
}
