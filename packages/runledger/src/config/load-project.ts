import { dirname, relative } from "node:path";
import { InputError } from "@runledger/contracts";
import { isWorkflow } from "../workflow/compiled-workflow.js";
import type { AnyWorkflow } from "../workflow/types.js";
import { loadWorkflow } from "../yaml/load-workflow.js";
import type { RunledgerConfig } from "./define-config.js";
import { findConfig, type WhereToLook } from "./find-config.js";
import { findWorkflowFiles } from "./find-workflow-files.js";
import { loadConfig } from "./load-config.js";
import { explainingFailure } from "./load-failure.js";
import { isTypeScript, ModuleLoader } from "./module-loader.js";

interface FoundWorkflow {
  readonly workflow: AnyWorkflow;
  readonly file: string;
}

/** A project as its files are at this moment; loaded again, it is another one, and this one goes on as it was. */
export interface Project {
  readonly configFile: string;
  readonly root: string;
  readonly config: RunledgerConfig;
  readonly workflows: readonly FoundWorkflow[];
  /** What it was loaded from: a change of any of them makes it old. */
  readonly files: readonly string[];
}

export async function loadProject(where: WhereToLook): Promise<Project> {
  const configFile = findConfig(where);
  const root = dirname(configFile);
  const loader = new ModuleLoader();
  const config = await loadConfig(loader, configFile);
  const compiled = !isTypeScript(configFile);
  const { production } = where;
  const files = await findWorkflowFiles({ patterns: config.workflows, root, compiled, production });
  const workflows: FoundWorkflow[] = [];
  for (const file of files) {
    const found = await workflowsIn(file, { root, config, loader });
    for (const workflow of found) add(workflows, { workflow, file });
  }
  if (workflows.length === 0) throw nothingFound(configFile, config.workflows);
  return { configFile, root, config, workflows, files: [...new Set([configFile, ...files, ...loader.files()])] };
}

/** Of a file by itself, in a project or not. */
export function loadWorkflowFile(file: string, config: RunledgerConfig): Promise<AnyWorkflow[]> {
  return workflowsIn(file, { root: process.cwd(), config, loader: new ModuleLoader() });
}

interface Surroundings {
  readonly root: string;
  readonly config: RunledgerConfig;
  readonly loader: ModuleLoader;
}

async function workflowsIn(file: string, { root, config, loader }: Surroundings): Promise<AnyWorkflow[]> {
  return isDocument(file) ? [await documented(file, root, config)] : await exportedBy(loader, file);
}

/** A definition that is data: YAML or JSON. */
function isDocument(file: string): boolean {
  return /\.(ya?ml|json)$/.test(file);
}

function documented(file: string, root: string, { worker }: RunledgerConfig): Promise<AnyWorkflow> {
  return loadWorkflow(file, { name: relative(root, file), kinds: Object.keys(worker?.runners ?? {}) });
}

async function exportedBy(loader: ModuleLoader, file: string): Promise<AnyWorkflow[]> {
  const exports = await explainingFailure(file, () => loader.load(file));
  return Object.values(exports).filter(isWorkflow);
}

/** One that several files export is one; two that share id and version cannot both be run. */
function add(known: FoundWorkflow[], next: FoundWorkflow): void {
  const { id, version } = next.workflow;
  const same = known.find(({ workflow }) => workflow.id === id && workflow.version === version);
  if (same === undefined) known.push(next);
  else if (same.workflow !== next.workflow) throw definedTwice(same, next);
}

function definedTwice({ workflow, file }: FoundWorkflow, other: FoundWorkflow): InputError {
  const what = `workflow ${workflow.id} ${workflow.version} is defined here and in ${file}`;
  return new InputError("CONFIG_INVALID", other.file, `${what}; rename one of them or give it another version.`);
}

function nothingFound(configFile: string, patterns: readonly string[]): InputError {
  const what = `no file matching ${patterns.join(", ")} exports a workflow`;
  return new InputError("CONFIG_INVALID", configFile, `${what}; export what workflow(…) gives, or mend the patterns.`);
}
