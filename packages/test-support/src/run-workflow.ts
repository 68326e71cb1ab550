/** A workflow from its start to its end, on real parts, and what is left of it to look at. */
import type { CanonicalEngineEvent, FullStateStore, JsonObject, LogLine, StoredArtifact } from "@runledger/contracts";
import { followLog, type Ledger, type Workflow, type WorkerOptions } from "runledger";

type AnyWorkflow = Workflow<never, unknown, unknown>;

export interface EndedRun {
  readonly runId: string;
  readonly events: readonly CanonicalEngineEvent[];
  /** The data of the last event of this type, of a step or of the run. */
  data(eventType: string, stepId?: string): JsonObject;
}

/** Runs a workflow with a new worker, which is stopped afterwards. */
export async function runWorkflow(
  ledger: Ledger,
  workflow: AnyWorkflow,
  options: Omit<WorkerOptions, "workflows"> = {},
): Promise<EndedRun> {
  const worker = await ledger.worker({ ...options, workflows: [workflow] });
  try {
    const run = await ledger.start(workflow as Workflow<undefined, unknown, unknown>);
    const events: CanonicalEngineEvent[] = [];
    for await (const event of run.events()) events.push(event);
    return { runId: run.id, events, data: (eventType, stepId) => dataOf(events, eventType, stepId) };
  } finally {
    await worker.stop();
  }
}

function dataOf(events: readonly CanonicalEngineEvent[], eventType: string, stepId?: string): JsonObject {
  const event = events.findLast((one) => one.eventType === eventType && one.stepId === stepId);
  if (event === undefined)
    throw new Error(`${stepId ?? "The run"} has no ${eventType}: ${JSON.stringify(events.at(-1))}`);
  return event.eventData as JsonObject;
}

/** The log of a step's last attempt that has one, as it is by now. */
export async function logOf(store: FullStateStore, runId: string, stepId: string): Promise<LogLine[]> {
  const logs = (await store.artifacts.listArtifacts({ runId, stepId })).filter(({ kind }) => kind === "log");
  const lines: LogLine[] = [];
  const last: StoredArtifact | undefined = logs.at(-1);
  if (last === undefined) return lines;
  for await (const line of followLog(store.artifacts, last.uri, { follow: false })) lines.push(line);
  return lines;
}

/** Everything that a run has left in a store, as text: events and artifacts. */
export async function everythingOf(store: FullStateStore, runId: string): Promise<string> {
  const parts: string[] = [];
  for await (const event of store.streamEvents(runId)) parts.push(JSON.stringify(event));
  for (const { uri } of await store.artifacts.listArtifacts({ runId })) {
    const page = await store.artifacts.readChunks({ uri, limit: 10_000 });
    parts.push(Buffer.concat(page?.chunks ?? []).toString());
  }
  return parts.join("\n");
}
