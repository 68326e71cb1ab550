/** One attempt of a step, as its handler and its runner see it, and what is to be recorded with its end. */
import { DEFAULT_TENANT, RetryError, type ArtifactRef, type JsonObject } from "@runledger/contracts";
import type { RunState, StepCommand } from "@runledger/core";
import { artifactHome } from "./artifact-home.js";
import { composePatches } from "./compose-patches.js";
import { insist } from "./patience.js";
import type { RunFacts } from "./run-facts.js";
import type { Runners } from "./runners.js";
import { stepArtifacts } from "./step-artifacts.js";
import { StepLog } from "./step-log.js";
import { stepKeys } from "./step-scope.js";
import { stepSecrets } from "./step-secrets.js";
import type { StepTools } from "./step-tools.js";

/** What every handler and runner gets; what it may read is added to it. */
export interface StepContext extends StepTools {
  readonly runId: string;
  readonly stepId: string;
  readonly attempt: number;
  readonly idempotencyKey: string;
  readonly attemptKey: string;
  readonly signal: AbortSignal;
  readonly patch: (patch: JsonObject) => void;
  readonly checkpoint: () => void;
  readonly [more: string]: unknown;
}

export interface Attempt {
  readonly context: StepContext;
  readonly log: StepLog;
  /** What was written besides the output; closes the log. The same however often it is asked. */
  end(): Promise<AttemptEnd>;
}

interface AttemptEnd {
  readonly artifacts?: readonly ArtifactRef[];
  readonly patch?: JsonObject;
}

export function openAttempt(
  facts: RunFacts,
  runners: Runners,
  state: RunState,
  { stepId, attempt }: StepCommand,
  signal: AbortSignal,
): Attempt {
  const { runId, now } = facts;
  const { timers, redactor } = runners;
  const { tenantId = DEFAULT_TENANT, environmentId = "default" } = state.details;
  const home = artifactHome(facts, state, { stepId, attempt }, (action) => insist(timers, signal, action));
  const log = new StepLog(home, { timers, redactor, now });
  const artifacts: ArtifactRef[] = [];
  let patch: JsonObject | undefined;
  const { idempotencyKey, attemptKey } = stepKeys(facts, state, stepId, attempt);
  const context = {
    idempotencyKey,
    attemptKey,
    runId,
    stepId,
    attempt,
    signal,
    artifact: stepArtifacts(home, redactor, (ref) => void artifacts.push(ref)),
    secrets: stepSecrets(runners.secretsFor(facts.workflow), redactor, { tenantId, environmentId }),
    log: (message: string, fields?: object) => log.add("log", message, fields),
    progress: (done: number, total?: number) =>
      runners.onProgress({ runId, stepId, attempt, done, ...(total === undefined ? {} : { total }) }),
    checkpoint: () => facts.wantsCheckpoint?.(),
    patch: (next: JsonObject) => void (patch = composePatches(patch ?? {}, next)),
  };
  const close = async (): Promise<AttemptEnd> => {
    const lines = await log.end().catch(unlessAway);
    if (lines !== null) artifacts.push(lines);
    return { ...(artifacts.length === 0 ? {} : { artifacts }), ...(patch && { patch }) };
  };
  let ended: Promise<AttemptEnd> | null = null;
  return { context, log, end: () => (ended ??= close()) };
}

/** The store is away and nobody waits for it any more: what the step did counts without its log. */
function unlessAway(error: unknown): null {
  if (error instanceof RetryError) return null;
  throw error;
}
