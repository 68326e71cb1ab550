/** What steps gave back, looked up in the log by keys that can be computed (C4). */
import {
  idempotencyKey,
  type CanonicalEngineEvent,
  type Json,
  type JsonObject,
  type StateStore,
} from "@runledger/contracts";
import { prefixOf, type RunState } from "@runledger/core";
import type { Recall } from "./recall.js";

export interface OutputSource {
  readonly store: StateStore;
  readonly runId: string;
  readonly planVersion: string;
  /** What need not be read again; absent = everything is. */
  readonly recall?: Recall;
}

export function keyOf(source: OutputSource, eventType: string, attempt: string, stepId?: string): string {
  const { runId, planVersion } = source;
  return idempotencyKey({ runId, planVersion, eventType, logicalAttemptId: attempt, stepId });
}

/** Undefined = it failed and its dependents run all the same. */
export async function outputOf(source: OutputSource, state: RunState, stepId: string): Promise<Json | undefined> {
  const row = state.steps.get(stepId);
  if (row?.status === "SKIPPED") return null;
  if (row?.status !== "SUCCESS") return undefined;
  const event = await eventOf(source, keyOf(source, "StepCompleted", row.logicalAttemptId, stepId));
  const { output, outputFrom, signalId } = (event?.eventData ?? {}) as JsonObject;
  if (typeof outputFrom === "string") return outputOf(source, state, outputFrom);
  if (typeof signalId === "string") return signalPayload(source, signalId);
  return output ?? null;
}

async function signalPayload(source: OutputSource, signalId: string): Promise<Json> {
  const event = await eventOf(source, keyOf(source, "SignalAccepted", signalId));
  return (event?.eventData as JsonObject | undefined)?.["payload"] ?? null;
}

const PAGE = 200;

/** What a dependent reads of a forEach: page by page, in the order of the items. */
export class ItemOutputs implements AsyncIterable<Json> {
  readonly count: number;
  readonly #read: (index: number) => Promise<Json>;

  constructor(source: OutputSource, state: RunState, containerId: string, outputId: string | null) {
    this.count = state.steps.get(containerId)?.opened?.count ?? 0;
    this.#read = async (index) =>
      outputId === null ? null : ((await outputOf(source, state, prefixOf(containerId, index) + outputId)) ?? null);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Json> {
    for (let from = 0; from < this.count; from += PAGE) {
      const size = Math.min(PAGE, this.count - from);
      yield* await Promise.all(Array.from({ length: size }, (_, place) => this.#read(from + place)));
    }
  }

  async toArray(): Promise<Json[]> {
    const all: Json[] = [];
    for await (const output of this) all.push(output);
    return all;
  }
}

/** The event with this key, if there is one. */
export async function eventOf(
  { store, runId, recall }: OutputSource,
  key: string,
): Promise<CanonicalEngineEvent | undefined> {
  const known = recall?.get(key);
  if (known !== undefined) return known;
  const [event] = await store.fetchByKeys(runId, [key]);
  return event;
}
