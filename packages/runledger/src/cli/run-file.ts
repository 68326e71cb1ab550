/** `runledger run FILE`: a workflow that is not part of a project. Who waits for it also does its work. */
import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { InputError } from "@runledger/contracts";
import type { RunledgerConfig } from "../config/define-config.js";
import type { Project } from "../config/load-project.js";
import type { AnyWorkflow } from "../workflow/types.js";
import type { Desk } from "./desk/desk.js";
import { withDesk } from "./desk/open-desk.js";
import { openLedger } from "./open-ledger.js";
import { chosenStore, projectIfAny, serverUrl, type GlobalOptions } from "./session.js";
import { workerVoice } from "./worker-voice.js";

interface FileOptions extends GlobalOptions {
  readonly tenant?: string;
  readonly wait?: boolean;
}

export function isWorkflowFile(name: string): boolean {
  return /\.(ya?ml|json|[mc]?[tj]s)(#.+)?$/.test(name);
}

/** `name`: the file, and `#id` where it has several. */
export async function withFile<T>(
  name: string,
  options: FileOptions,
  action: (desk: Desk, workflow: string) => Promise<T>,
): Promise<T> {
  const [path = "", id] = name.split("#");
  const file = resolve(path);
  if (!existsSync(file)) throw new InputError("OPTION_INVALID", "workflow", `there is no file ${path}.`);
  if (options.server !== undefined) return onServer(file, options, action); // one that is only set is not published to
  const config = (await projectIfAny(options))?.config ?? { workflows: [] };
  const { loadWorkflowFile } = await import("../config/load-project.js");
  const workflows = await loadWorkflowFile(file, config);
  const workflow = chosen(workflows, path, id);
  const ledger = await openLedger(await chosenStore(options));
  const found = projectOf(file, config, workflows);
  const project = () => Promise.resolve(found);
  const { StoreDesk } = await import("./desk/store-desk.js");
  await using desk = new StoreDesk({ ledger, project, projectNeeded: project, tenantId: options.tenant });
  if (options.wait === true) await ledger.worker({ ...workerVoice(), ...config.worker, workflows });
  return await action(desk, `${workflow.id}@${workflow.version}`);
}

async function onServer<T>(
  file: string,
  options: FileOptions,
  action: (desk: Desk, workflow: string) => Promise<T>,
): Promise<T> {
  const { publishFile } = await import("./publish-file.js");
  const workflow = await publishFile(file, serverUrl(options)!, options);
  return withDesk(options, (desk) => action(desk, workflow));
}

function chosen(workflows: readonly AnyWorkflow[], file: string, id: string | undefined): AnyWorkflow {
  const found = workflows.filter((workflow) => id === undefined || workflow.id === id);
  if (found.length === 1) return found[0]!;
  const known = workflows.map((workflow) => workflow.id).join(", ");
  const why =
    workflows.length === 0 ? "exports no workflow" : `has ${known}; name one, as in ${file}#${workflows[0]!.id}`;
  throw new InputError("WORKFLOW_NOT_FOUND", "workflow", `${file} ${why}.`);
}

function projectOf(file: string, config: RunledgerConfig, workflows: readonly AnyWorkflow[]): Project {
  const found = workflows.map((workflow) => ({ workflow, file }));
  return { configFile: file, root: dirname(file), config, workflows: found, files: [file] };
}
