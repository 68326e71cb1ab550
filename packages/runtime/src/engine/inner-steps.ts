/**
 * Steps inside a step that only its runner knows, such as the nodes of a dbt project (D11). The runner reports them while it
 * works, and they are recorded at once. The next attempt of the step reads them and repeats only what is missing.
 */
import {
  omitUndefined,
  sha256Hex,
  type ArtifactRef,
  type DatasetUses,
  type InnerStep,
  type Json,
  type RunError,
} from "@runledger/contracts";
import type { StepRow } from "@runledger/contracts";
import type { EventDraft, RunState } from "@runledger/core";
import { redactText } from "../telemetry/process-redactors.js";
import type { AttemptRef } from "./in-flight.js";
import type { InnerSteps } from "./runners/runner.js";
import { innerUses } from "./used-datasets.js";
import type { ArtifactSource, StepArtifacts } from "../workflow/step-tools.js";

/** Maximum length of an id (K3). */
const MAX_ID = 255;
const HASH_LENGTH = 12;

export class RecordedSteps implements InnerSteps {
  readonly #attempt: AttemptRef;
  readonly #state: RunState;
  readonly #emit: (draft: EventDraft) => void;
  /** Attempts of the steps that were started here and are not finished. */
  readonly #open = new Map<string, number>();
  /** Steps that finished here. */
  readonly #ended = new Set<string>();
  #recorded: ReadonlyMap<string, StepRow> | null = null;
  #culprit: string | undefined;
  #artifactsOf: ((attempt: AttemptRef) => StepArtifacts | null) | null = null;

  /** `state` is the run at the start of the attempt. */
  constructor(attempt: AttemptRef, state: RunState, emit: (draft: EventDraft) => void) {
    this.#attempt = attempt;
    this.#state = state;
    this.#emit = emit;
  }

  /** A name that cannot be part of an id is replaced by a prefix and a hash. An id contains no secret (S1). */
  idOf(unsafe: string): string {
    const name = redactText(unsafe);
    const prefix = `${this.#attempt.stepId}/`;
    const isPlain = /^[\w.:-]+$/.test(name) && prefix.length + name.length <= MAX_ID;
    if (isPlain) return prefix + name;
    const short = name.replace(/[^\w.:-]/g, "_").slice(0, MAX_ID - prefix.length - HASH_LENGTH - 1);
    return `${prefix}${short}.${sha256Hex(name).slice(0, HASH_LENGTH)}`;
  }

  recorded(name: string): StepRow | undefined {
    return this.#rows().get(this.idOf(name));
  }

  get recordedCount(): number {
    return this.#rows().size;
  }

  /** The step that made this one fail. */
  get culprit(): string | undefined {
    return this.#culprit;
  }

  blame(name: string): void {
    this.#culprit ??= this.idOf(name);
  }

  start(name: string, { kind, after, checksum }: InnerStep): void {
    const stepId = this.idOf(name);
    const attempt = nextAttempt(this.#state.steps.get(stepId));
    this.#open.set(stepId, attempt);
    const inner = { kind, after: after.map((other) => this.idOf(other)), ...omitUndefined({ checksum }) };
    this.#emit({ eventType: "StepStarted", stepId, attempt, data: { opened: { inner } } });
  }

  async write(name: string, kind: string, body: ArtifactSource): Promise<readonly ArtifactRef[]> {
    const stepId = this.idOf(name);
    const artifacts = this.#artifactsOf?.({ stepId, attempt: this.#open.get(stepId) ?? 1 }) ?? null;
    return artifacts === null ? [] : [await artifacts.write(kind, body)];
  }

  /** Sets where inner steps store their artifacts. `null` stands for a store that keeps none. */
  storeIn(artifactsOf: (attempt: AttemptRef) => StepArtifacts | null): void {
    this.#artifactsOf = artifactsOf;
  }

  complete(name: string, output: Json, artifacts: readonly ArtifactRef[] = [], uses: DatasetUses = {}): void {
    const datasets = innerUses(uses) as Json | undefined;
    this.#end(name, "StepCompleted", { output, ...listed(artifacts), ...omitUndefined({ datasets }) });
  }

  fail(name: string, error: RunError, artifacts: readonly ArtifactRef[] = []): void {
    this.#end(name, "StepFailed", { error: { ...error }, ...listed(artifacts) });
  }

  skip(name: string, culprit?: string): void {
    const data =
      culprit === undefined ? { reason: "RUNNER" } : { reason: "UPSTREAM_FAILED", culprit: this.idOf(culprit) };
    this.#end(name, "StepSkipped", data);
  }

  /** Returns the events of steps that are still running when the step around them ends, here or in a lost worker. */
  unfinished(end: EventDraft): readonly EventDraft[] {
    const open = new Map([...this.#leftRunning(), ...this.#open]);
    this.#open.clear();
    const { error } = (end.data ?? {}) as { readonly error?: RunError };
    const { code = "STEP_UNFINISHED", message = `Step ${this.#attempt.stepId} ended.` } = error ?? {};
    const data = { error: { code, message: `The step did not finish. ${message}`, retryable: true } };
    return [...open].map(([stepId, attempt]) => ({ eventType: "StepFailed", stepId, attempt, data }));
  }

  #end(name: string, eventType: string, data: Json): void {
    const stepId = this.idOf(name);
    const attempt = this.#open.get(stepId);
    if (attempt === undefined) throw new Error(`Inner step ${stepId} has not been started.`);
    this.#open.delete(stepId);
    this.#ended.add(stepId);
    this.#emit({ eventType, stepId, attempt, data });
  }

  /** A lost worker may have left some running. A step that no worker was lost with has none. */
  #leftRunning(): readonly (readonly [stepId: string, attempt: number])[] {
    const { takeOvers = 0 } = this.#state.steps.get(this.#attempt.stepId) ?? {};
    if (takeOvers === 0) return [];
    const lost = [...this.#rows().values()].filter(({ status }) => status === "RUNNING");
    return lost
      .filter(({ stepId }) => !this.#ended.has(stepId))
      .map(({ stepId, logicalAttemptId }) => [stepId, Number(logicalAttemptId)] as const);
  }

  /** Reads once, and only if needed: a run may have many steps. */
  #rows(): ReadonlyMap<string, StepRow> {
    const prefix = `${this.#attempt.stepId}/`;
    this.#recorded ??= new Map(
      this.#state.steps.rows().flatMap((row) => (row.stepId.startsWith(prefix) ? [[row.stepId, row] as const] : [])),
    );
    return this.#recorded;
  }
}

/** An interrupted or reset attempt continues with its number. A finished one is followed by the next (F2). */
function nextAttempt(row: StepRow | undefined): number {
  if (row === undefined) return 1;
  const isOver = row.status !== "PENDING" && row.status !== "RUNNING";
  return Number(row.logicalAttemptId) + (isOver ? 1 : 0);
}

function listed(artifacts: readonly ArtifactRef[]): { artifacts?: Json } {
  return artifacts.length === 0 ? {} : { artifacts: artifacts as unknown as Json };
}
