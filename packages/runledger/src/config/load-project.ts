import { dirname, relative } from "node:path";
import { InputError } from "@runledger/contracts";
import { isWorkflow } from "@runledger/runtime/workflow/compiled-workflow";
import type { AnyWorkflow } from "@runledger/runtime/workflow/types";
import { loadWorkflow } from "@runledger/runtime/yaml/load-workflow";
import type { RunledgerConfig } from "./define-config.js";
import { findConfig, type ConfigLookup } from "./find-config.js";
import { findWorkflowFiles } from "./find-workflow-files.js";
import { loadConfig } from "./load-config.js";
import { withLoadError } from "./load-failure.js";
import { isTypeScript, ModuleLoader } from "./module-loader.js";

interface FoundWorkflow {
  readonly workflow: AnyWorkflow;
  readonly file: string;
}

/** A loaded project. Loading it again creates another one and does not change this one. */
export interface Project {
  readonly configFile: string;
  readonly root: string;
  readonly config: RunledgerConfig;
  readonly workflows: readonly FoundWorkflow[];
  /** Patterns of the configuration that match no file. */
  readonly unmatched: readonly string[];
  /** The files it was loaded from. A change to any of them requires a reload. */
  readonly files: readonly string[];
}

export async function loadProject(where: ConfigLookup): Promise<Project> {
  const configFile = findConfig(where);
  const root = dirname(configFile);
  const loader = new ModuleLoader();
  const config = await loadConfig(loader, configFile);
  const compiled = !isTypeScript(configFile);
  const { production } = where;
  const { files, unmatched } = await findWorkflowFiles({ patterns: config.workflows, root, compiled, production });
  const workflows: FoundWorkflow[] = [];
  for (const file of files) {
    const found = await workflowsIn(file, { root, config, loader });
    for (const workflow of found) add(workflows, { workflow, file });
  }
  if (workflows.length === 0) throw nothingFound(configFile, config.workflows);
  const all = [...new Set([configFile, ...files, ...loader.files()])];
  return { configFile, root, config, workflows, unmatched, files: all };
}

/** Loads the workflows of a single file, inside or outside a project. */
export function loadWorkflowFile(file: string, config: RunledgerConfig): Promise<AnyWorkflow[]> {
  return workflowsIn(file, { root: process.cwd(), config, loader: new ModuleLoader() });
}

interface LoadContext {
  readonly root: string;
  readonly config: RunledgerConfig;
  readonly loader: ModuleLoader;
}

async function workflowsIn(file: string, { root, config, loader }: LoadContext): Promise<AnyWorkflow[]> {
  return isDocument(file) ? [await loadDocument(file, root, config)] : await exportedBy(loader, file);
}

/** A definition in YAML or JSON. */
function isDocument(file: string): boolean {
  return /\.(ya?ml|json)$/.test(file);
}

function loadDocument(file: string, root: string, { worker }: RunledgerConfig): Promise<AnyWorkflow> {
  return loadWorkflow(file, { name: relative(root, file), kinds: Object.keys(worker?.runners ?? {}) });
}

async function exportedBy(loader: ModuleLoader, file: string): Promise<AnyWorkflow[]> {
  const exports = await withLoadError(file, () => loader.load(file));
  return Object.values(exports).filter(isWorkflow);
}

/** Several files may export the same workflow. Two workflows must not share id and version. */
function add(known: FoundWorkflow[], next: FoundWorkflow): void {
  const { id, version } = next.workflow;
  const same = known.find(({ workflow }) => workflow.id === id && workflow.version === version);
  if (same === undefined) known.push(next);
  else if (same.workflow !== next.workflow) throw definedTwice(same, next);
}

function definedTwice({ workflow, file }: FoundWorkflow, other: FoundWorkflow): InputError {
  const what = `workflow ${workflow.id} ${workflow.version} is defined here and in ${file}`;
  return new InputError("CONFIG_INVALID", other.file, `${what}. Rename one of them, or change its version.`);
}

function nothingFound(configFile: string, patterns: readonly string[]): InputError {
  const what = `no file matching ${patterns.join(", ")} exports a workflow`;
  return new InputError(
    "CONFIG_INVALID",
    configFile,
    `${what}. Export the result of workflow(…), or correct the patterns.`,
  );
}
