/** Opens the built declarations of the published packages with TypeScript's own checker. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { API, SymbolFlags, type Project, type Symbol as TsSymbol } from "typescript/unstable/sync";
import { isExportDeclaration, isExportSpecifier } from "typescript/unstable/ast/is";
import { inRepository, publishedPackages, readJson } from "../../../scripts/lib/repository.mjs";

export interface PublishedPackage {
  readonly name: string;
  readonly folder: string;
  /** The keys of `exports` in the manifest. */
  readonly paths: readonly string[];
  /** Declaration files of the entry points, by import path. A path with `*` has none. */
  readonly entries: ReadonlyMap<string, string>;
}

/** One name that an entry point exports. */
export interface Exported {
  readonly name: string;
  /** The declared symbol, behind all re-exports. */
  readonly symbol: TsSymbol;
  /** `true` if callers cannot construct or call it. */
  readonly isTypeOnly: boolean;
  /** The package with the statement that exports it. `export *` of another package leaves it there. */
  readonly from: string | undefined;
}

type Exports = Readonly<Record<string, string | { readonly types: string }>>;

export const packagesWithApi: readonly PublishedPackage[] = publishedPackages().map(
  ({ folder, manifest: { name } }) => {
    const { exports } = readJson(inRepository(`packages/${folder}/package.json`)) as { readonly exports: Exports };
    const entries = new Map<string, string>();
    for (const [path, target] of Object.entries(exports))
      if (typeof target === "object" && !path.includes("*"))
        entries.set(join(name, path), inRepository(join("packages", folder, target.types)));
    return { name, folder, paths: Object.keys(exports), entries };
  },
);

export class OpenPackages implements Disposable {
  readonly #folder = mkdtempSync(join(tmpdir(), "runledger-api-"));
  readonly #api = new API({ cwd: this.#folder });
  readonly project: Project;

  constructor() {
    const config = join(this.#folder, "tsconfig.json");
    const files = packagesWithApi.flatMap(({ entries }) => [...entries.values()]);
    const typeRoots = [inRepository("node_modules/@types")];
    const compilerOptions = { module: "nodenext", target: "es2023", strict: true, types: ["node"], typeRoots };
    writeFileSync(config, JSON.stringify({ compilerOptions, files }));
    this.project = this.#api.updateSnapshot({ openProjects: [config] }).getProjects()[0]!;
  }

  /** Returns the exports of an entry point, sorted by name. */
  exportsOf(file: string): readonly Exported[] {
    const { checker, program } = this.project;
    const module = checker.getSymbolAtLocation(program.getSourceFile(file)!)!;
    return checker
      .getExportsOfModule(module)
      .map((symbol) => ({
        name: symbol.name,
        symbol: this.declared(symbol),
        isTypeOnly: this.#isTypeOnly(symbol),
        from: packageOf(symbol.declarations[0]!.path),
      }))
      .toSorted((one, other) => (one.name < other.name ? -1 : 1));
  }

  /** Returns the statements that export everything of another package. */
  starsIn(file: string): readonly string[] {
    const { program, emitter } = this.project;
    return program
      .getSourceFile(file)!
      .statements.map((statement) => emitter.printNode(statement))
      .filter((text) => /^export (type )?\* from "[^.]/.test(text));
  }

  declared(symbol: TsSymbol): TsSymbol {
    return symbol.flags & SymbolFlags.Alias ? this.project.checker.getAliasedSymbol(symbol) : symbol;
  }

  /** Follows re-exports until one is `export type { … }`. */
  #isTypeOnly(symbol: TsSymbol): boolean {
    if (!(symbol.flags & SymbolFlags.Alias)) return false;
    const node = symbol.declarations[0]?.resolve(this.project);
    if (node !== undefined && isExportSpecifier(node)) {
      const statement = node.parent.parent;
      if (node.isTypeOnly || (isExportDeclaration(statement) && statement.isTypeOnly)) return true;
    }
    const next = this.project.checker.getImmediateAliasedSymbol(symbol);
    return next !== undefined && this.#isTypeOnly(next);
  }

  [Symbol.dispose](): void {
    this.#api.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** The folder below packages/ that a file belongs to. */
export function packageOf(path: string): string | undefined {
  const packages = inRepository("packages/");
  if (!path.toLowerCase().startsWith(packages.toLowerCase())) return undefined;
  return path.slice(packages.length).split("/")[0];
}
