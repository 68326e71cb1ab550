import { appendFile, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Plugin } from "vite";

const PACKAGE = /^(.*\/node_modules\/((?:@[^/]+\/)?[^/]+))\//;

/**
 * Vite builds workers on their own, and lists the licenses of the page's packages only. The first plugin notes the packages
 * of workers; the second one appends those that the list lacks.
 */
export function workerLicenses(file: string): { readonly ofWorkers: Plugin; readonly ofPage: Plugin } {
  const folders = new Map<string, string>();
  const ofWorkers: Plugin = {
    name: "note-worker-packages",
    generateBundle(_, bundle) {
      for (const chunk of Object.values(bundle)) {
        const modules = chunk.type === "chunk" ? chunk.moduleIds : [];
        for (const [, folder, name] of modules.flatMap((id) => [PACKAGE.exec(id) ?? []]))
          if (folder !== undefined && name !== undefined) folders.set(name, folder);
      }
    },
  };
  const ofPage: Plugin = {
    name: "append-worker-licenses",
    apply: "build",
    async writeBundle({ dir = "" }) {
      const path = join(dir, file);
      const listed = await readFile(path, "utf8");
      for (const [name, folder] of [...folders].toSorted(([one], [other]) => (one < other ? -1 : 1)))
        if (!listed.includes(`\n## ${name} - `)) await appendFile(path, await entryOf(name, folder));
    },
  };
  return { ofWorkers, ofPage };
}

async function entryOf(name: string, folder: string): Promise<string> {
  const { version, license } = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as Record<
    string,
    string
  >;
  const text = await readFile(join(folder, "LICENSE"), "utf8");
  return `\n## ${name} - ${version} (${license})\n\n${text.trim()}\n`;
}
