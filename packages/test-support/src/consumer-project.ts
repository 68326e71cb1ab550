import { chmodSync, mkdtempSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { inRepository, readJson } from "../../../scripts/lib/repository.mjs";
import { capture } from "../../../scripts/lib/spawn.mjs";

const require = createRequire(import.meta.url);

interface Packed {
  readonly name: string;
  readonly tarball: string;
}

/** How a package manager installs without running a script of any package. */
export const installers = {
  npm: ["npm", "install", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"],
  pnpm: [
    process.execPath,
    pnpm(),
    "install",
    "--ignore-scripts",
    "--prefer-offline",
    "--no-frozen-lockfile",
    ...store(),
  ],
} as const;

/** A fresh project outside the workspace that depends on the packed packages. Others may enter it: see embedded. */
export function consumerProject(packed: readonly Packed[]): string {
  const folder = mkdtempSync(join(tmpdir(), "runledger-consumer-"));
  chmodSync(folder, 0o755);
  const tarballs = Object.fromEntries(packed.map(({ name, tarball }) => [name, `file:${tarball}`]));
  const manifest = {
    private: true,
    type: "module",
    dependencies: { ...tarballs, "@types/node": nodeTypes() },
    // Our packages depend on each other by version, and that version may not be published yet.
    pnpm: { overrides: tarballs },
  };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  return folder;
}

/** Runs a program of the project in a new folder. */
export async function runIn(
  project: string,
  file: string,
  options: { readonly timeoutMs: number; readonly args?: readonly string[] },
) {
  const { timeoutMs, args = [] } = options;
  const cwd = mkdtempSync(join(project, "run-"));
  chmodSync(cwd, 0o755);
  return capture(process.execPath, [join(project, file), ...args], { cwd, timeoutMs });
}

/** pnpm exports only its manifest. */
function pnpm(): string {
  return join(dirname(require.resolve("pnpm")), "bin", "pnpm.cjs");
}

/** pnpm's default is a folder at the root of the file system that the project is on. */
function store(): readonly string[] {
  const cache = process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache");
  return ["--store-dir", join(cache, "runledger", "pnpm-store")];
}

function nodeTypes(): string {
  const { devDependencies } = readJson(inRepository("package.json")) as { devDependencies: Record<string, string> };
  return devDependencies["@types/node"] ?? "*";
}
