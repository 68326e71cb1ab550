import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import type { Json } from "@runledger/contracts";
import type { Workflow } from "../workflow/types.js";

/** A workflow from a file: nothing is known of its types. */
export type LoadedWorkflow = Workflow<Json | undefined, Json, Readonly<Record<string, Json>>>;

export interface LoadOptions {
  /** What the text is called in messages. Default: the file's name. */
  readonly name?: string;
  /** Kinds of steps of your own, for which the worker has runners. */
  readonly kinds?: readonly string[];
}

/**
 * The workflow in a YAML or JSON file, or in such a text itself: what has a line break in it or begins with `{` is taken
 * as text. Throws a PlanError that says all that is wrong with it, with file, line and column.
 */
export async function loadWorkflow(fileOrText: string | URL, options: LoadOptions = {}): Promise<LoadedWorkflow> {
  const { buildWorkflow } = await import("./build-workflow.js"); // a parser and more, for those who have such files
  if (isText(fileOrText)) return buildWorkflow(fileOrText, options.name ?? "workflow", options);
  const name = basename(fileOrText instanceof URL ? fileOrText.pathname : fileOrText);
  return buildWorkflow(await readFile(fileOrText, "utf8"), options.name ?? name, options);
}

function isText(fileOrText: string | URL): fileOrText is string {
  return typeof fileOrText === "string" && /\n|^\s*\{/.test(fileOrText);
}
