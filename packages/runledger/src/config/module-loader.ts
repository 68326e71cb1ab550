/**
 * Modules of the user's project: TypeScript through jiti (no build step, any Node), JavaScript by Node itself.
 * One loader is one *generation*: it evaluates each TypeScript module once, whoever imports it, and another loader
 * evaluates it anew. So code can be loaded again while what was loaded before goes on. Packages are shared by all.
 */
import { pathToFileURL } from "node:url";

export type Exports = Readonly<Record<string, unknown>>;

export class ModuleLoader {
  /** By file: what jiti has evaluated for this generation. */
  readonly #evaluated = {};

  async load(file: string): Promise<Exports> {
    if (!isTypeScript(file)) return (await import(pathToFileURL(file).href)) as Exports;
    const { createJiti } = await import("jiti"); // production, where all is compiled, never gets here
    const jiti = createJiti(file, { moduleCache: false, fsCache: false, interopDefault: false });
    const entry = { filename: `${file}.entry.ts`, ext: ".ts", async: true, cache: this.#evaluated };
    const { loaded } = (await jiti.evalModule(`export * as loaded from ${JSON.stringify(file)}`, entry)) as {
      readonly loaded: Exports;
    };
    return loaded;
  }

  /** Every TypeScript file that was needed so far. */
  files(): readonly string[] {
    return Object.keys(this.#evaluated).filter((file) => !file.endsWith(".entry.ts"));
  }
}

export function isTypeScript(file: string): boolean {
  return /\.[mc]?ts$/.test(file);
}
