/**
 * Lays packages out as pnpm does: each package finds its own dependencies, and a project finds only the packages that it
 * installed. Only manifests and declarations are copied.
 */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, sep } from "node:path";
import { inRepository, publishedPackages } from "../../../scripts/lib/repository.mjs";

export interface StrictLayout {
  readonly folder: string;
  /** Adds a project that installs one package. Returns the path of its only source file. */
  readonly addProject: (name: string, installs: string, source: string) => string;
}

export function strictLayout(): StrictLayout {
  const folder = mkdtempSync(join(tmpdir(), "runledger-layout-"));
  const packages = publishedPackages();
  const place = (name: string): string =>
    join(folder, "node_modules/.pnpm", `${name.replace("/", "+")}@0.1.0`, "node_modules");
  for (const { directory, manifest } of packages) {
    const target = join(place(manifest.name), manifest.name);
    cpSync(join(directory, "package.json"), join(target, "package.json"));
    cpSync(join(directory, "dist"), join(target, "dist"), { recursive: true, filter: isDeclaration });
    const dependencies = Object.keys(manifest.dependencies ?? {});
    for (const other of packages.filter((one) => dependencies.includes(one.manifest.name)))
      link(join(place(other.manifest.name), other.manifest.name), join(place(manifest.name), other.manifest.name));
  }
  link(inRepository("node_modules/@types/node"), join(folder, "node_modules/@types/node"));
  const addProject = (name: string, installs: string, source: string): string => {
    const project = join(folder, "projects", name);
    link(join(place(installs), installs), join(project, "node_modules", installs));
    writeFileSync(join(project, "package.json"), JSON.stringify({ type: "module", dependencies: { [installs]: "*" } }));
    const file = join(project, "index.ts");
    writeFileSync(file, source);
    return file;
  };
  return { folder, addProject };
}

function link(target: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path);
}

function isDeclaration(file: string): boolean {
  return file.endsWith(".d.ts") || (!/\.\w+$/.test(file) && !file.includes(`${sep}web${sep}`));
}

/** Returns the modules that a declaration file imports. */
export function importsOf(file: string): string[] {
  const text = readFileSync(file, "utf8");
  return [...new Set([...text.matchAll(/(?:from |import\()"([^"]+)"/g)].map(([, module]) => module!))].toSorted();
}
