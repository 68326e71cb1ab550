/** A program of the tests as one file that Node runs: sources as they are, so that nothing has to be built before. */
import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { basename } from "node:path";
import { build } from "esbuild";
import { inRepository } from "../../../scripts/lib/repository.mjs";

const bundled = new Map<string, Promise<string>>();

/** Packages that a program loads from their builds, because they look for files beside their code. */
const BUILT = ["runledger", "@runledger/*", "@temporalio/*"];

interface BundleOptions {
  /** `true` if the program loads the packages of the repository from their builds. */
  readonly usesBuilds?: boolean;
}

/** Bundled once per test file. Inside the repository, so that packages are found. */
export function bundledProgram(entry: string, { usesBuilds = false }: BundleOptions = {}): Promise<string> {
  const known = bundled.get(entry) ?? bundle(entry, usesBuilds ? BUILT : []);
  bundled.set(entry, known);
  return known;
}

async function bundle(entry: string, external: readonly string[]): Promise<string> {
  const folder = inRepository("node_modules/.cache/runledger-programs");
  mkdirSync(`${folder}/dist`, { recursive: true });
  const outfile = `${folder}/dist/${basename(entry, ".ts")}-${process.pid}.mjs`;
  linkMigrations(folder);
  await build({
    entryPoints: [inRepository(entry)],
    tsconfig: inRepository("tsconfig.check.json"),
    external: ["pg", ...external],
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    outfile,
    logLevel: "warning",
  });
  return outfile;
}

/** The PostgreSQL store looks for them beside the folder that its code is in. */
function linkMigrations(folder: string): void {
  try {
    symlinkSync(inRepository("packages/store-postgres/migrations"), `${folder}/migrations`);
  } catch (error) {
    if (!existsSync(`${folder}/migrations`)) throw error; // else another test file was faster
  }
}
