/** Reads step outputs from the log by their computable keys (C4). */
import {
  idempotencyKey,
  readEventData,
  StopError,
  type ArtifactRef,
  type CanonicalEngineEvent,
  type Json,
  type RunHeader,
  type StateStore,
  type StepCompletedData,
  type StepRow,
} from "@runledger/contracts";
import { prefixOf, type RunState } from "@runledger/core";
import type { Retry } from "../time/retry.js";
import { OUTPUT_KIND } from "../artifacts/output-artifact.js";
import type { RecentEvents } from "./recent-events.js";
import { readStoredOutput } from "./stored-output.js";

export interface OutputSource {
  readonly store: StateStore;
  readonly runId: string;
  readonly planVersion: string;
  /** Cached events. If absent, every output is read from the log. */
  readonly recentEvents?: RecentEvents;
}

export function keyOf(source: OutputSource, eventType: string, attempt: string, stepId?: string): string {
  const { runId, planVersion } = source;
  return idempotencyKey({ runId, planVersion, eventType, logicalAttemptId: attempt, stepId });
}

/** Steps by id: of a folded state, or of a stored projection. */
export interface KnownSteps {
  readonly steps: { get(stepId: string): StepRow | undefined | Promise<StepRow | undefined> };
}

/** The output of a step, or the artifact that holds it. */
export type FoundOutput = { readonly value: Json | undefined } | { readonly artifact: ArtifactRef };

/**
 * Returns the output of a completed run. `RunCompleted` names the step that has it, so that the event stays small. The value is
 * `undefined` if the run did not complete.
 */
export async function findRunOutput(
  source: OutputSource,
  { status, output, ordinals }: Pick<RunHeader, "status" | "output" | "ordinals">,
  known: KnownSteps,
): Promise<FoundOutput> {
  if (status !== "COMPLETED" || output !== undefined) return { value: output };
  const event = await eventOf(source, keyOf(source, "RunCompleted", String(ordinals["RunCompleted"] ?? 1)));
  const { outputFrom } = readEventData("RunCompleted", event?.eventData);
  const found = outputFrom === undefined ? null : await findOutput(source, known, outputFrom);
  return found !== null && "artifact" in found ? found : { value: found?.value ?? null };
}

/** `undefined` if the step failed and its dependents run anyway. */
export async function outputOf(source: OutputSource, known: KnownSteps, stepId: string): Promise<Json | undefined> {
  const found = await findOutput(source, known, stepId);
  return "artifact" in found ? readStoredOutput(source, found.artifact) : found.value;
}

/** Like `outputOf`, but does not read an artifact that holds the output. */
export async function findOutput(source: OutputSource, known: KnownSteps, stepId: string): Promise<FoundOutput> {
  const row = await known.steps.get(stepId);
  if (row?.status === "SKIPPED") return { value: null };
  if (row?.status !== "SUCCESS") return { value: undefined };
  const event = await eventOf(source, keyOf(source, "StepCompleted", row.logicalAttemptId, stepId));
  if (event === undefined) throw lost(source, `the completion of step ${stepId}`);
  const data = readEventData("StepCompleted", event?.eventData);
  if (data.outputFrom !== undefined) return findOutput(source, known, data.outputFrom);
  if (data.signalId !== undefined) return { value: await signalPayload(source, data.signalId) };
  return storedOutput(data) ?? { value: data.output ?? null };
}

/** Returns `null` if the event holds the output itself. */
function storedOutput({ outputArtifact, artifacts = [] }: StepCompletedData): FoundOutput | null {
  if (outputArtifact === undefined) return null;
  if (typeof outputArtifact !== "string") return { value: outputArtifact };
  const artifact = artifacts.find(({ uri }) => uri === outputArtifact);
  return { artifact: artifact ?? { uri: outputArtifact, kind: OUTPUT_KIND } };
}

async function signalPayload(source: OutputSource, signalId: string): Promise<Json> {
  const event = await eventOf(source, keyOf(source, "SignalAccepted", signalId));
  if (event === undefined) throw lost(source, `signal ${signalId}`);
  return readEventData("SignalAccepted", event?.eventData).payload ?? null;
}

const PAGE = 200;

/** The outputs of a forEach for its dependents: an async iterable that reads pages in item order. */
export class ItemOutputs implements AsyncIterable<Json> {
  readonly count: number;
  readonly #read: (index: number) => Promise<Json>;
  readonly #insist: Retry;

  /** User code reads the pages, so `insist` keeps an outage of the store from it. */
  constructor(source: OutputSource, state: RunState, containerId: string, outputId: string | null, insist: Retry) {
    this.#insist = insist;
    this.count = state.steps.get(containerId)?.opened?.count ?? 0;
    this.#read = async (index) =>
      outputId === null ? null : ((await outputOf(source, state, prefixOf(containerId, index) + outputId)) ?? null);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Json> {
    for (let from = 0; from < this.count; from += PAGE) {
      yield* await this.#insist(() => this.#page(from));
    }
  }

  #page(from: number): Promise<Json[]> {
    const size = Math.min(PAGE, this.count - from);
    return Promise.all(Array.from({ length: size }, (_, place) => this.#read(from + place)));
  }

  async toArray(): Promise<Json[]> {
    const all: Json[] = [];
    for await (const output of this) all.push(output);
    return all;
  }
}

/** F6: the state was folded from an event that the log no longer has. Nothing is executed on top of that. */
function lost({ runId }: OutputSource, what: string): StopError {
  return new StopError("LOG_GAP", `The log of run ${runId} has lost ${what}. Restore the log from a backup.`);
}

/** Returns the event with this key, if it exists. */
export async function eventOf(
  { store, runId, recentEvents }: OutputSource,
  key: string,
): Promise<CanonicalEngineEvent | undefined> {
  const known = recentEvents?.get(key);
  if (known !== undefined) return known;
  const [event] = await store.fetchByKeys(runId, [key]);
  return event;
}
