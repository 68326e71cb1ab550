/** The context of one attempt for its handler and runner, and the data to record at its end. */
import {
  DEFAULT_TENANT,
  omitUndefined,
  RetryError,
  StopError,
  type ArtifactRef,
  type DatasetUses,
  type JsonObject,
} from "@runledger/contracts";
import { indexPlan, UNDO, type RunState, type StepCommand } from "@runledger/core";
import { artifactHome, type ArtifactHome } from "./artifact-home.js";
import { composePatches } from "./compose-patches.js";
import type { AttemptRef } from "./in-flight.js";
import type { RunContext } from "./run-context.js";
import type { Runners } from "./runners.js";
import { stepArtifacts } from "./step-artifacts.js";
import { StepLog } from "./step-log.js";
import { StoreCalls } from "./store-calls.js";
import { stepKeys } from "./step-scope.js";
import { stepSecrets } from "./step-secrets.js";
import { UsedDatasets } from "./used-datasets.js";
import { dropUndefined } from "../workflow/drop-undefined.js";
import type { StepArtifacts, StepTools } from "../workflow/step-tools.js";

/** The part of the context that every handler and runner gets. */
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

export interface StepAttempt {
  readonly tenantId: string;
  readonly context: StepContext;
  readonly log: StepLog;
  readonly datasets: UsedDatasets;
  readonly home: ArtifactHome;
  /** Returns the artifacts of an inner step, or `null` if the store keeps none. */
  artifactsOf(inner: AttemptRef): StepArtifacts | null;
  /** Closes the log and returns the artifacts, patches and datasets. Idempotent. */
  end(): Promise<AttemptEnd>;
}

export interface AttemptEnd {
  readonly artifacts?: readonly ArtifactRef[];
  readonly patch?: JsonObject;
  readonly datasets?: DatasetUses;
}

export function openAttempt(
  context: RunContext,
  runners: Runners,
  state: RunState,
  { stepId, attempt, path }: StepCommand,
  signal: AbortSignal,
  calls: StoreCalls,
): StepAttempt {
  const { runId, now } = context;
  const { timers, redactor } = runners;
  const { tenantId = DEFAULT_TENANT, environmentId = "default" } = state.details;
  const home = artifactHome(context, state, { stepId, attempt }, calls.insist);
  const logCalls = new StoreCalls(timers, signal); // a log that cannot be written does not stop the step
  const log = new StepLog({ ...home, insist: logCalls.insist }, { timers, redactor, now });
  const artifacts: ArtifactRef[] = [];
  let patch: JsonObject | undefined;
  const declared = stepId.startsWith(UNDO) ? undefined : indexPlan(context.workflow.plan).get(path)?.datasets;
  const datasets = new UsedDatasets(declared);
  const { idempotencyKey, attemptKey } = stepKeys(context, state, stepId, attempt);
  const stepContext = {
    idempotencyKey,
    attemptKey,
    runId,
    stepId,
    attempt,
    signal,
    datasets,
    artifact: stepArtifacts(home, redactor, (ref) => void artifacts.push(ref)),
    secrets: stepSecrets(runners.secretsFor(context.workflow), redactor, { tenantId, environmentId }, calls.insist),
    log: (message: string, fields?: object) => log.add("log", message, fields),
    progress: (done: number, total?: number) =>
      runners.onProgress({ runId, stepId, attempt, done, ...omitUndefined({ total }) }),
    checkpoint: () => context.requestCheckpoint?.(),
    patch: (next: JsonObject) => void (patch = composePatches(patch ?? {}, dropUndefined(next))),
  };
  const close = async (): Promise<AttemptEnd> => {
    const lines = await log.end().catch(ignoreStore);
    if (lines !== null) artifacts.push(lines);
    const used = omitUndefined({ patch, datasets: datasets.recorded });
    return { ...(artifacts.length === 0 ? {} : { artifacts }), ...used };
  };
  let ended: Promise<AttemptEnd> | null = null;
  const artifactsOf = (inner: AttemptRef): StepArtifacts | null => {
    const at = artifactHome(context, state, inner, calls.insist);
    return at.isPresent ? stepArtifacts(at, redactor, () => {}) : null;
  };
  return { context: stepContext, log, home, datasets, tenantId, artifactsOf, end: () => (ended ??= close()) };
}

/** If the store does not accept the log, the step's result counts without it. */
function ignoreStore(error: unknown): null {
  if (error instanceof RetryError || error instanceof StopError) return null;
  throw error;
}
