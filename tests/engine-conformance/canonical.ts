/** Events without everything that differs between two runs of the same plan: times, ids, engine attempts and take-overs. */
import type { CanonicalEngineEvent, FullStateStore, JsonObject } from "@runledger/contracts";

/** The events of a run: by step, and on run level under `run`. */
export type CanonicalEvents = Record<string, unknown[]>;

export function canonical(events: readonly CanonicalEngineEvent[]): CanonicalEvents {
  const byStep: CanonicalEvents = {};
  for (const { stepId = "run", eventType, logicalAttemptId, eventData } of events) {
    if (eventType === "RunTakenOver") continue;
    const attempt = eventType.startsWith("Signal") ? "" : logicalAttemptId;
    (byStep[stepId] ??= []).push({ eventType, attempt, data: withoutIds(eventData as JsonObject) });
  }
  return byStep;
}

const TIME = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;
const ID = /\b(?:run|sig|req|art|evt)_[\w-]+/g;

function withoutIds({ stack: _, runRequestId: __, signalId: ___, ...data }: JsonObject): unknown {
  const text = JSON.stringify(data, (key, value: unknown) =>
    isLog(value) ? { kind: "log" } : key === "id" ? "" : value,
  );
  return JSON.parse(text.replaceAll(TIME, "a time").replaceAll(ID, "an id"));
}

/** A log holds times, so its hash differs. */
function isLog(value: unknown): boolean {
  return typeof value === "object" && value !== null && (value as { readonly kind?: unknown }).kind === "log";
}

/** The canonical events of these runs and of their children, in this order. */
export async function canonicalRuns(store: FullStateStore, runIds: readonly string[]): Promise<CanonicalEvents[]> {
  const runs: CanonicalEvents[] = [];
  for (const runId of runIds) {
    const events = await store.fetchEvents(runId);
    runs.push(canonical(events), ...(await canonicalRuns(store, childrenIn(events))));
  }
  return runs;
}

/** The children that a run has started, in the order of their steps' names. */
export function childrenIn(events: readonly CanonicalEngineEvent[]): readonly string[] {
  const opened = events.flatMap(({ stepId = "", logicalAttemptId, eventData }) => {
    const { childRunId } = ((eventData as JsonObject)["opened"] ?? {}) as { readonly childRunId?: string };
    return childRunId === undefined ? [] : [{ name: `${stepId} ${logicalAttemptId}`, childRunId }];
  });
  return opened.sort((a, b) => a.name.localeCompare(b.name)).map(({ childRunId }) => childRunId);
}
