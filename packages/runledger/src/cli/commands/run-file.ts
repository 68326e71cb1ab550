/** `runledger run FILE` runs a workflow without a project. With `--wait`, this process is the worker. */
import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { InputError } from "@runledger/contracts";
import type { RunledgerConfig } from "../../config/define-config.js";
import type { Project } from "../../config/load-project.js";
import type { AnyWorkflow } from "@runledger/runtime/workflow/types";
import type { Backend } from "../backend/backend.js";
import { withBackend } from "../backend/open-backend.js";
import { openLedger } from "../backend/open-ledger.js";
import { openLog } from "../render/open-log.js";
import { resolveStore, findProject, serverUrl, storeOptionsOf, type GlobalOptions } from "../global-options.js";

interface FileOptions extends GlobalOptions {
  readonly tenant?: string;
  readonly wait?: boolean;
}

export function isWorkflowFile(name: string): boolean {
  return /\.(ya?ml|json|[mc]?[tj]s)(#.+)?$/.test(name);
}

/** `name` is the file, with `#id` if it has several workflows. */
export async function withFile<T>(
  name: string,
  options: FileOptions,
  action: (backend: Backend, workflow: string) => Promise<T>,
): Promise<T> {
  const [path = "", id] = name.split("#");
  const file = resolve(path);
  if (!existsSync(file)) throw new InputError("OPTION_INVALID", "workflow", `file ${path} does not exist.`);
  if (options.server !== undefined) return onServer(file, options, action); // RUNLEDGER_SERVER alone does not publish a file
  const project = await findProject(options);
  const config = project?.config ?? { workflows: [] };
  const { loadWorkflowFile } = await import("../../config/load-project.js");
  const workflows = await loadWorkflowFile(file, config);
  const workflow = selectWorkflow(workflows, path, id);
  const ledger = await openLedger(await resolveStore(options), storeOptionsOf(project));
  const ofFile = projectOf(file, config, workflows);
  const read = () => Promise.resolve(ofFile);
  const { StoreBackend } = await import("../backend/store-backend.js");
  await using backend = new StoreBackend({ ledger, project: read, requireProject: read, tenantId: options.tenant });
  openLog({ level: "warn", ...config.log }, "pretty");
  if (options.wait === true) await ledger.worker({ ...config.worker, workflows });
  return await action(backend, `${workflow.id}@${workflow.version}`);
}

async function onServer<T>(
  file: string,
  options: FileOptions,
  action: (backend: Backend, workflow: string) => Promise<T>,
): Promise<T> {
  const { publishFile } = await import("./publish-file.js");
  const workflow = await publishFile(file, serverUrl(options)!, options);
  return withBackend(options, (backend) => action(backend, workflow));
}

function selectWorkflow(workflows: readonly AnyWorkflow[], file: string, id: string | undefined): AnyWorkflow {
  const found = workflows.filter((workflow) => id === undefined || workflow.id === id);
  if (found.length === 1) return found[0]!;
  const known = workflows.map((workflow) => workflow.id).join(", ");
  const problem =
    workflows.length === 0 ? "exports no workflow" : `has ${known}. Select one, such as ${file}#${workflows[0]!.id}`;
  throw new InputError("WORKFLOW_NOT_FOUND", "workflow", `${file} ${problem}.`);
}

function projectOf(file: string, config: RunledgerConfig, workflows: readonly AnyWorkflow[]): Project {
  const found = workflows.map((workflow) => ({ workflow, file }));
  return { configFile: file, root: dirname(file), config, workflows: found, unmatched: [], files: [file] };
}
