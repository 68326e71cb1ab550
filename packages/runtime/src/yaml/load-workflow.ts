import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import type { Json } from "@runledger/contracts";
import type { Workflow } from "../workflow/types.js";

/** A workflow from a file, without static types. */
export type LoadedWorkflow = Workflow<Json | undefined, Json, Readonly<Record<string, Json>>>;

export interface LoadOptions {
  /** Name in error messages. Defaults to the file name. */
  readonly name?: string;
  /** Custom step kinds, for which the worker has runners. */
  readonly kinds?: readonly string[];
}

/**
 * Loads a workflow from a YAML or JSON file, or from such a text. A string with a line break, or one that starts with `{`, is
 * text. Throws a PlanError with all problems and their file, line and column.
 */
export async function loadWorkflow(fileOrText: string | URL, options: LoadOptions = {}): Promise<LoadedWorkflow> {
  const { buildWorkflow } = await import("./build-workflow.js"); // loads the YAML parser only if it is needed
  if (isText(fileOrText)) return buildWorkflow(fileOrText, options.name ?? "workflow", options);
  const name = basename(fileOrText instanceof URL ? fileOrText.pathname : fileOrText);
  return buildWorkflow(await readFile(fileOrText, "utf8"), options.name ?? name, options);
}

function isText(fileOrText: string | URL): fileOrText is string {
  return typeof fileOrText === "string" && /\n|^\s*\{/.test(fileOrText);
}
