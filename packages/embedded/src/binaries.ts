import { access } from "node:fs/promises";
import { join } from "node:path";
import { copyOfPackage, linksForPackage } from "./binary-cache.js";
import { failure, firstErrorLine } from "./failures.js";
import { locatePlatformPackage, unsupported, type PlatformPackage } from "./platform-package.js";
import { runProgram, type Ended } from "./run-program.js";
import type { ServerUser } from "./server-user.js";

export interface Binaries {
  readonly postgres: string;
  readonly initdb: string;
  /** Variables with which the programs find their libraries. */
  readonly env: Readonly<Record<string, string>>;
  /** Like `18.4`. */
  readonly version: string;
}

interface Place {
  readonly native: string;
  readonly env: Readonly<Record<string, string>>;
}

interface Options {
  readonly user: ServerUser | null;
  readonly cacheDir: string | undefined;
}

/**
 * Finds programs that the server's user can run: those of npm if they work, otherwise through links or a copy in our
 * cache.
 */
export async function findBinaries(options: Options): Promise<Binaries> {
  const npm = await locatePlatformPackage();
  const place = await asInstalled(npm, options);
  const tried = await tryVersion(place, options.user);
  if (tried.spawnFailure !== "EACCES") return binariesAt(place, tried);
  const copied = { native: await copyOfPackage(npm, options.cacheDir), env: {} };
  return binariesAt(copied, await tryVersion(copied, options.user));
}

/**
 * macOS drops library paths from the environment whenever /bin/sh starts, which initdb uses. So they are copied there.
 */
async function asInstalled(npm: PlatformPackage, { cacheDir }: Options): Promise<Place> {
  if (await hasLinks(npm)) return { native: npm.native, env: {} };
  if (process.platform === "darwin") return { native: await copyOfPackage(npm, cacheDir), env: {} };
  return { native: npm.native, env: { LD_LIBRARY_PATH: await linksForPackage(npm, cacheDir) } };
}

async function hasLinks({ native, links }: PlatformPackage): Promise<boolean> {
  const found = links.map(({ name }) => access(join(native, name)).then(yes, no));
  return (await Promise.all(found)).every(Boolean);
}
const yes = (): boolean => true;
const no = (): boolean => false;

const tryVersion = ({ native, env }: Place, user: ServerUser | null): Promise<Ended> =>
  runProgram({ command: join(native, "bin", "postgres"), args: ["--version"], user, env });

function binariesAt({ native, env }: Place, tried: Ended): Binaries {
  const version = /\(PostgreSQL\) (\S+)/.exec(tried.stdout)?.[1];
  if (tried.code !== 0 || version === undefined) throw doesNotRun(native, tried);
  return { postgres: join(native, "bin", "postgres"), initdb: join(native, "bin", "initdb"), env, version };
}

function doesNotRun(native: string, { spawnFailure, code, stderr }: Ended) {
  // The file exists, so its loader is missing: this system has another C library than glibc.
  if (spawnFailure === "ENOENT" || stderr.includes("GLIBC")) return unsupported("The embedded PostgreSQL needs glibc");
  if (spawnFailure === "EPERM" || spawnFailure === "EINVAL")
    return failure(
      "EMBEDDED_PERMISSION",
      "PostgreSQL does not run as root, and this process may not switch to another user: start as another user, or use a postgres:// URL.",
    );
  const why = spawnFailure ?? (stderr === "" ? `it ended with ${code ?? "a signal"}` : firstErrorLine(stderr));
  return unsupported(`The PostgreSQL in ${native} does not run here (${why})`);
}
