/** Copies the kept steps of the origin into events of the fork, so that the fork never reads the origin again (N4). */
import {
  InputError,
  isJsonObject,
  newEvent,
  omitUndefined,
  readEventData,
  type CanonicalEngineEvent,
  type FullStateStore,
  type Json,
  type JsonObject,
  type NewEvent,
  type StateStore,
} from "@runledger/contracts";
import { keyOf, type OutputSource } from "./outputs.js";
import type { ForkPlan } from "./fork-plan.js";

const PAGE = 200;
/** Limits of one transaction, so that it does not block other writers. */
const MOST = { events: 50_000, bytes: 64 * 1024 * 1024 };

/**
 * Starts containers with the recorded results of their closures, then completes steps in their original order, so that kept
 * state patches apply in order (D2). Containers in which nothing runs complete last.
 */
export async function keptEvents(
  store: FullStateStore,
  fork: ForkPlan,
): Promise<(runId: string) => readonly NewEvent[]> {
  const { scope, state, plan } = fork;
  if (scope.kept.length + scope.opened.length > MOST.events) throw tooLarge(`${scope.kept.length} steps`);
  const ends = await endsOf(store, fork);
  const bytes = ends.reduce((sum, { data }) => sum + JSON.stringify(data).length, 0);
  if (bytes > MOST.bytes) throw tooLarge(`${Math.ceil(bytes / 1024 / 1024)} MB`);
  const begins = scope.opened.map((stepId) => {
    const opened = state.steps.get(stepId)?.opened;
    return { stepId, eventType: "StepStarted", data: omitUndefined({ opened }) as JsonObject };
  });
  const wholes = [...scope.whole].map(([stepId, data]) => {
    const { endedSeq = 0 } = state.steps.get(stepId)!;
    return { stepId, eventType: "StepCompleted", data: { ...data, kept: endedSeq } };
  });
  const { planId, planVersion } = plan;
  return (runId) =>
    [...begins, ...ends, ...wholes].map(({ data, ...kept }) =>
      newEvent({ runId, planId, planVersion, ...kept, eventData: data }),
    );
}

interface KeptEnd {
  readonly stepId: string;
  readonly eventType: string;
  readonly data: JsonObject;
}

async function endsOf(store: FullStateStore, { scope, state }: ForkPlan): Promise<KeptEnd[]> {
  const source = { store, runId: state.runId, planVersion: state.details.planVersion ?? "" };
  const keys = scope.kept.map((stepId) => {
    const { status, logicalAttemptId } = state.steps.get(stepId)!;
    return keyOf(source, status === "SKIPPED" ? "StepSkipped" : "StepCompleted", logicalAttemptId, stepId);
  });
  const events = await fetchAll(store, state.runId, keys);
  const signals = events.flatMap(({ eventData }) => readEventData("StepCompleted", eventData).signalId ?? []);
  const payloads = await payloadsOf(source, signals);
  return events.map(({ stepId = "", eventType, eventData, runSeq }) => {
    const { signalId } = readEventData("StepCompleted", eventData);
    const { signalId: _, ...data } = isJsonObject(eventData) ? eventData : {};
    const payload = signalId === undefined ? {} : { output: payloads.get(signalId) ?? null };
    return { stepId, eventType, data: { ...data, ...payload, kept: runSeq } };
  });
}

/** The payloads that waits received, by signal. In the fork they are the waits' outputs. */
async function payloadsOf(source: OutputSource, signalIds: readonly string[]): Promise<ReadonlyMap<string, Json>> {
  const keys = signalIds.map((signalId) => keyOf(source, "SignalAccepted", signalId));
  const accepted = await fetchAll(source.store, source.runId, keys);
  return new Map(
    accepted.map(({ logicalAttemptId = "", eventData }) => [
      logicalAttemptId,
      readEventData("SignalAccepted", eventData).payload ?? null,
    ]),
  );
}

/** In log order. */
async function fetchAll(
  store: StateStore,
  runId: string,
  keys: readonly string[],
): Promise<readonly CanonicalEngineEvent[]> {
  const events: CanonicalEngineEvent[] = [];
  for (let from = 0; from < keys.length; from += PAGE) {
    events.push(...(await store.fetchByKeys(runId, keys.slice(from, from + PAGE))));
  }
  return events.sort((a, b) => a.runSeq - b.runSeq);
}

function tooLarge(what: string): InputError {
  const most = `${MOST.events} steps and ${MOST.bytes / 1024 / 1024} MB`;
  return new InputError("PAYLOAD_TOO_LARGE", "from", `would keep ${what}; a fork keeps at most ${most}.`);
}
