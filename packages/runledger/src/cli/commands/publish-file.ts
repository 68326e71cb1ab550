/** `runledger run FILE --server` publishes the file as a workflow, and the server's workers run it. */
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import type { WorkflowDocument } from "@runledger/client";
import { InputError } from "@runledger/contracts";
import { loadWorkflow } from "@runledger/runtime/yaml/load-workflow";
import { Source } from "@runledger/runtime/yaml/source";
import { connectClient, type BackendOptions } from "../backend/open-backend.js";
import { print } from "../render/terminal.js";

/** Returns id and version. The server refuses callers that may not publish. */
export async function publishFile(file: string, url: string, options: BackendOptions): Promise<string> {
  if (!/\.(ya?ml|json)$/.test(file)) throw notPublishable(file);
  const text = await readFile(file, "utf8");
  const { id, version } = await loadWorkflow(file); // reports errors with their lines
  const { value } = new Source(text, basename(file));
  const client = await connectClient(url, options);
  const { needsPermission } = await client.publishWorkflow(id, version, value as WorkflowDocument);
  if (needsPermission.length > 0 && options.json !== true)
    print(`Its ${needsPermission.join(" and ")} steps run only on workers whose allowPublished option permits them.`);
  return `${id}@${version}`;
}

function notPublishable(file: string): InputError {
  const what = `publishes YAML and JSON files only, and ${basename(file)} is code`;
  const instead = "Start a worker with this workflow (runledger worker), then pass its id instead of the file";
  return new InputError("OPTION_INVALID", "--server", `${what}. ${instead}.`);
}
