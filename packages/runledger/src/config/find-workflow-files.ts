import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { glob } from "tinyglobby";
import { isTypeScript } from "./module-loader.js";

const IGNORED = ["**/node_modules/**", "**/*.d.{ts,mts,cts}", "**/*.{test,spec,test-d}.*"];

export interface Patterns {
  readonly patterns: readonly string[];
  /** Base folder of the patterns. */
  readonly root: string;
  /** The configuration is compiled JavaScript, so a pattern for `.ts` also selects compiled files. */
  readonly compiled: boolean;
  readonly production: boolean;
}

export interface WorkflowFiles {
  /** Absolute paths in sorted order, so that every machine loads a project in the same order. */
  readonly files: readonly string[];
  /** Patterns that match no file. */
  readonly unmatched: readonly string[];
}

export async function findWorkflowFiles({ patterns, ...where }: Patterns): Promise<WorkflowFiles> {
  const positive = patterns.filter((pattern) => !pattern.startsWith("!"));
  const counts = await Promise.all(positive.map(async (pattern) => (await filesOf([pattern], where)).length));
  return { files: await filesOf(patterns, where), unmatched: positive.filter((_, index) => counts[index] === 0) };
}

async function filesOf(patterns: readonly string[], { root, compiled, production }: Omit<Patterns, "patterns">) {
  const wanted = compiled ? patterns.flatMap((pattern) => [toJavaScript(pattern), pattern]) : patterns;
  const found = await glob([...new Set(wanted)], {
    cwd: root,
    absolute: true,
    ignore: IGNORED,
    expandDirectories: false,
  });
  const files = [...new Set(found.map((file) => resolve(file)))].sort();
  return files.filter((file) => !compiled || !isTypeScript(file) || (!production && !existsSync(toJavaScript(file))));
}

function toJavaScript(name: string): string {
  return name.replace(/\.([mc]?)ts$/, ".$1js");
}
