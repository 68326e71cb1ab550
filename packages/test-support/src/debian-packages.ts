import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { capture } from "../../../scripts/lib/spawn.mjs";
import { cached } from "../../../scripts/lib/cache-folder.mjs";
import { requireTool, type Requirement } from "./requirements.js";

/** A program that Debian builds, with the libraries that a small installation may lack. The first package names it. */
export type DebianProgram = readonly [name: string, ...packages: string[]];

export const pgbouncer: DebianProgram = ["pgbouncer", "libc-ares2", "libevent-2.1-7"];
/** `redis-tools` contains the server's program. */
export const redisServer: DebianProgram = ["redis-tools", "redis-server", "libjemalloc2", "liblzf1", "libatomic1"];
export const natsServer: DebianProgram = ["nats-server"];
export const memcachedServer: DebianProgram = ["memcached", "libevent-2.1-7", "libsasl2-2"];
export const postgres15: DebianProgram = [
  "postgresql-15",
  "postgresql-client-15",
  "libpq5",
  "libicu72",
  "libxml2",
  "libldap-2.5-0",
  "libsasl2-2",
  "libgssapi-krb5-2",
  "libkrb5-3",
  "libk5crypto3",
  "libkrb5support0",
  "libkeyutils1",
];

export const requireDebian: readonly Requirement[] = [
  requireTool("apt-get"),
  requireTool("apt-cache"),
  requireTool("dpkg"),
];

/** Where an unpacked program lies, and the environment that lets it find its libraries. */
export interface Unpacked {
  readonly root: string;
  readonly env: { readonly LD_LIBRARY_PATH: string };
}

/** Downloads and unpacks into the cache folder, once; nothing is installed, so that no root is needed. */
export async function unpackDebian(program: DebianProgram): Promise<Unpacked> {
  const name = `${program[0]}-${await candidate(program[0])}`;
  const target = await cached(name, (draft) => unpack(program, draft));
  const lib = join(target, "usr/lib"); // a program that needs no others brings none
  const libraries = (existsSync(lib) ? readdirSync(lib) : []).map((folder) => join(lib, folder));
  return { root: target, env: { LD_LIBRARY_PATH: libraries.join(":") } };
}

async function unpack(program: DebianProgram, draft: string): Promise<void> {
  const downloads = mkdtempSync(join(draft, "deb-"));
  await must("apt-get", ["download", ...program], downloads);
  for (const file of readdirSync(downloads)) await must("dpkg", ["-x", join(downloads, file), draft], draft);
  rmSync(downloads, { recursive: true });
}

/** The version that would be installed. A fresh machine has no package lists yet. */
async function candidate(name: string): Promise<string> {
  const known = await askedFor(name);
  if (known !== null) return known;
  await must("apt-get", ["update"], "/");
  const updated = await askedFor(name);
  if (updated === null) throw new Error(`This Debian has no package ${name}`);
  return updated;
}

async function askedFor(name: string): Promise<string | null> {
  const { stdout } = await capture("apt-cache", ["policy", name], { env: { LC_ALL: "C" } });
  const version = /^ *Candidate: (\S+)$/m.exec(stdout)?.[1];
  return version === undefined || version === "(none)" ? null : version.replaceAll(/[^\w.+-]/g, "_");
}

async function must(command: string, args: readonly string[], cwd: string): Promise<void> {
  const { code, stderr } = await capture(command, args, { cwd });
  if (code !== 0) throw new Error(`${command} ${args.join(" ")} failed: ${stderr}`);
}
