import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { glob } from "tinyglobby";
import { isTypeScript } from "./module-loader.js";

const NEVER = ["**/node_modules/**", "**/*.d.{ts,mts,cts}", "**/*.{test,spec,test-d}.*"];

export interface Patterns {
  readonly patterns: readonly string[];
  /** What patterns are relative to. */
  readonly root: string;
  /** The configuration itself is JavaScript: a pattern for `.ts` means what was compiled from it. */
  readonly compiled: boolean;
  readonly production: boolean;
}

/** Absolute and sorted, so that two machines load a project in one order. */
export async function findWorkflowFiles({ patterns, root, compiled, production }: Patterns): Promise<string[]> {
  const wanted = compiled ? patterns.flatMap((pattern) => [toJavaScript(pattern), pattern]) : patterns;
  const found = await glob([...new Set(wanted)], {
    cwd: root,
    absolute: true,
    ignore: NEVER,
    expandDirectories: false,
  });
  const files = [...new Set(found.map((file) => resolve(file)))].sort();
  return files.filter((file) => !compiled || !isTypeScript(file) || (!production && !existsSync(toJavaScript(file))));
}

function toJavaScript(name: string): string {
  return name.replace(/\.([mc]?)ts$/, ".$1js");
}
