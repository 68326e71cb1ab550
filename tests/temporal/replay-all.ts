/** Replays the histories of all executions of a server against the current build of the workflow. */
import { Client, Connection } from "@temporalio/client";
import { bundleWorkflowCode, DefaultLogger, Worker } from "@temporalio/worker";
import { inRepository } from "../../scripts/lib/repository.mjs";

/** Returns the number of histories. Throws if one does not replay. */
export async function replayAll(address: string): Promise<number> {
  const workflowsPath = inRepository("packages/engine-temporal/dist/workflows/index.js");
  const workflowBundle = await bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger("ERROR") });
  const connection = await Connection.connect({ address });
  const histories = new Client({ connection }).workflow.list().intoHistories();
  let count = 0;
  for await (const { workflowId, error } of Worker.runReplayHistories({ workflowBundle }, histories)) {
    if (error !== undefined) throw new Error(`${workflowId} does not replay: ${error.message}`, { cause: error });
    count += 1;
  }
  await connection.close();
  return count;
}
