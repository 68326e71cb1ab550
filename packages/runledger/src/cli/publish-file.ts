/** `runledger run FILE --server`: the file is published as the workflow it is, and the server's workers run it. */
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import type { WorkflowDocument } from "@runledger/client";
import { InputError } from "@runledger/contracts";
import { loadWorkflow } from "../yaml/load-workflow.js";
import { Source } from "../yaml/source.js";
import { clientOf, type DeskOptions } from "./desk/open-desk.js";
import { print } from "./terminal.js";

/** Its id and version. Whoever may not publish is told so by the server, and nothing is started. */
export async function publishFile(file: string, url: string, options: DeskOptions): Promise<string> {
  if (!/\.(ya?ml|json)$/.test(file)) throw notPublishable(file);
  const text = await readFile(file, "utf8");
  const { id, version } = await loadWorkflow(file); // what is wrong with it is told with its lines
  const { value } = new Source(text, basename(file));
  const client = await clientOf(url, options);
  const { needsPermission } = await client.publishWorkflow(id, version, value as WorkflowDocument);
  if (needsPermission.length > 0 && options.json !== true)
    print(`Its ${needsPermission.join(" and ")} steps run only on workers whose allowPublished names what they use.`);
  return `${id}@${version}`;
}

function notPublishable(file: string): InputError {
  const what = `takes YAML and JSON, and ${basename(file)} is code`;
  const instead = "start a worker that has it with runledger worker, then name the workflow in place of the file";
  return new InputError("OPTION_INVALID", "--server", `${what}; ${instead}.`);
}
