import { compiledOf } from "@runledger/runtime/workflow/compiled-workflow";
import { jsonSchemaOf } from "@runledger/runtime/workflow/schema";
import type { AnyWorkflow } from "@runledger/runtime/workflow/types";
import { samplePayload } from "../backend/sample-payload.js";
import type { GlobalOptions } from "../global-options.js";
import { commandLine } from "./next-command.js";

/** The command that starts a run of the workflow, with an input that fits its schema. */
export function startCommand(options: GlobalOptions, workflow: AnyWorkflow): string {
  const schema = jsonSchemaOf(compiledOf(workflow).input);
  const input = schema === null ? [] : ["--input", JSON.stringify(samplePayload(schema))];
  return commandLine(options, "run", workflow.id, ...input, "--wait");
}
