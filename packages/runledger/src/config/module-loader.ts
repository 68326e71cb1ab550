/**
 * Loads modules of the user's project: TypeScript through jiti (without a build step), JavaScript through Node.
 * A loader is one generation of the code: it evaluates each TypeScript module once, and another loader evaluates it again.
 * So code can be reloaded while earlier code keeps running. All loaders share packages.
 */
import { pathToFileURL } from "node:url";

export type Exports = Readonly<Record<string, unknown>>;

export class ModuleLoader {
  /** Modules of this generation, by file; jiti fills it. */
  readonly #evaluated = {};

  async load(file: string): Promise<Exports> {
    if (!isTypeScript(file)) return (await import(pathToFileURL(file).href)) as Exports;
    const { createJiti } = await import("jiti"); // production loads only JavaScript and never needs jiti
    const jiti = createJiti(file, { moduleCache: false, fsCache: false, interopDefault: false });
    const entry = { filename: `${file}.entry.ts`, ext: ".ts", async: true, cache: this.#evaluated };
    const { loaded } = (await jiti.evalModule(`export * as loaded from ${JSON.stringify(file)}`, entry)) as {
      readonly loaded: Exports;
    };
    return loaded;
  }

  /** Returns the TypeScript files that were loaded so far. */
  files(): readonly string[] {
    return Object.keys(this.#evaluated).filter((file) => !file.endsWith(".entry.ts"));
  }
}

export function isTypeScript(file: string): boolean {
  return /\.[mc]?ts$/.test(file);
}
