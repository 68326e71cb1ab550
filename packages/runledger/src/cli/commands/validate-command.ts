/** `validate` compiles workflow files without a store. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Command } from "commander";
import { InputError } from "@runledger/contracts";
import { indexPlan } from "@runledger/core";
import { compiledOf } from "@runledger/runtime/workflow/compiled-workflow";
import type { AnyWorkflow } from "@runledger/runtime/workflow/types";
import { exitCodes } from "../exit-codes.js";
import { findProject, type GlobalOptions } from "../global-options.js";
import { count } from "../render/format.js";
import { reportError } from "../render/report-error.js";
import { paint, print, printJson } from "../render/terminal.js";

export function addValidateCommand(program: Command): void {
  program
    .command("validate <files...>")
    .summary("check workflow files without running them")
    .description(
      "Compiles workflow files (.yaml, .json, .ts, .js) and reports all errors with their lines. Needs neither a store nor a " +
        "project. Exits with 2 if a file is invalid.",
    )
    .action(async (files: string[], _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      for (const file of files) await validate(file, options);
    });
}

/** An invalid file does not hide the errors of the next one. */
async function validate(path: string, options: GlobalOptions): Promise<void> {
  try {
    const workflows = await load(path, options);
    for (const workflow of workflows) show(path, workflow, options);
  } catch (error) {
    reportError(error, options.json === true);
    process.exitCode = exitCodes.usage;
  }
}

async function load(path: string, options: GlobalOptions): Promise<readonly AnyWorkflow[]> {
  const file = resolve(path);
  if (!existsSync(file)) throw new InputError("OPTION_INVALID", "file", `${path} does not exist.`);
  const config = (await findProject(options).catch(() => null))?.config ?? { workflows: [] };
  const { loadWorkflowFile } = await import("../../config/load-project.js");
  const workflows = await loadWorkflowFile(file, config);
  if (workflows.length > 0) return workflows;
  throw new InputError("WORKFLOW_NOT_FOUND", "file", `${path} exports no workflow. Export the result of workflow(…).`);
}

function show(file: string, workflow: AnyWorkflow, options: GlobalOptions): void {
  const { plan } = compiledOf(workflow);
  const steps = indexPlan(plan).size;
  const { planId, planVersion: version, hash } = plan;
  if (options.json === true) printJson({ file, workflow: planId, version, hash, steps, valid: true });
  else print(`${paint("green", "✔")} ${file}   ${planId} ${version}   ${count(steps, "step")}`);
}
