import { createHash } from "node:crypto";
import { copyFileSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { inRepository } from "../../../scripts/lib/repository.mjs";
import { capture } from "../../../scripts/lib/spawn.mjs";
import { cached } from "../../../scripts/lib/cache-folder.mjs";

interface NpmPackages {
  /** As `require` there. */
  readonly load: (name: string) => unknown;
  readonly modules: string;
}

/**
 * Installs the packages of a folder's manifest and lockfile once into the cache folder. For packages that are too large for
 * `npm ci`.
 */
export async function npmPackages(folder: string, name: string): Promise<NpmPackages> {
  const files = ["package.json", "package-lock.json"].map((file) => inRepository(join(folder, file)));
  const content = createHash("sha256").update(readFileSync(files[1]!)).digest("hex").slice(0, 12);
  const installed = await cached(`${name}-${content}`, async (draft) => {
    for (const file of files) copyFileSync(file, join(draft, file.split("/").at(-1)!));
    const { code, stderr } = await capture("npm", ["ci", "--ignore-scripts"], { cwd: draft });
    if (code !== 0) throw new Error(`npm ci of ${folder} failed: ${stderr}`);
  });
  return { load: createRequire(join(installed, "package.json")), modules: join(installed, "node_modules") };
}
