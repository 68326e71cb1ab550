/** Adds the result of a completed run to its header: its output, and the artifacts of its steps. */
import {
  omitUndefined,
  RunledgerError,
  type ArtifactRef,
  type FullStateStore,
  type Json,
  type RunHeader,
  type StepRow,
} from "@runledger/contracts";
import { toRunHeader, type RunState } from "@runledger/core";
import { findRunOutput, type FoundOutput, type KnownSteps, type OutputSource } from "./outputs.js";
import { readStoredOutput } from "./stored-output.js";

/** Limits the work for a header. All artifacts of a longer run are in `listArtifacts`. */
const MAX_STEPS = 10_000;
const PAGE = 1_000;
/** Readers of a larger output download its artifact. */
const MAX_RESPONSE_BYTES = 4 * 1024 * 1024;

interface ResultSteps extends KnownSteps {
  /** In the order in which the log names them. */
  readonly pages: () => AsyncIterable<readonly StepRow[]> | Iterable<readonly StepRow[]>;
}

export function resultOfState(store: FullStateStore, state: RunState): Promise<RunHeader> {
  return withResult(store, toRunHeader(state), { steps: state.steps, pages: () => [state.steps.rows()] });
}

/** `header` is the stored header, and the stored steps belong to it. */
export function resultOfProjection(store: FullStateStore, header: RunHeader): Promise<RunHeader> {
  const { runId } = header;
  const get = async (stepId: string): Promise<StepRow | undefined> =>
    (await store.snapshots.readProjection({ runId, stepIds: [stepId] }))?.steps[0];
  return withResult(store, header, { steps: { get }, pages: () => storedSteps(store, runId) });
}

async function withResult(store: FullStateStore, header: RunHeader, known: ResultSteps): Promise<RunHeader> {
  if (header.status !== "COMPLETED") return header;
  const { runId, planVersion = "" } = header;
  const source = { store, runId, planVersion };
  const output = await shownOutput(source, await findRunOutput(source, header, known));
  const artifacts = await artifactsOf(header.artifacts, known.pages());
  return { ...header, artifacts, ...output };
}

export interface ShownOutput {
  /** Absent if there is none, if it is too large, or if its artifact cannot be read. */
  readonly output?: Json;
  /** The artifact that holds the output. */
  readonly outputArtifact?: ArtifactRef;
}

/** Returns an output for a response: a large one as its artifact only. */
export async function shownOutput(source: OutputSource, found: FoundOutput): Promise<ShownOutput> {
  if (!("artifact" in found)) return omitUndefined({ output: found.value });
  const { artifact } = found;
  const isLarge = artifact.sizeBytes === undefined || artifact.sizeBytes > MAX_RESPONSE_BYTES;
  const output = isLarge ? undefined : await readStoredOutput(source, artifact).catch(ignoreUnreadable);
  return { ...omitUndefined({ output }), outputArtifact: artifact };
}

/** A run can be shown without its artifacts: they may be deleted, or their bucket may not answer. */
function ignoreUnreadable(error: unknown): undefined {
  if (!(error instanceof RunledgerError)) throw error;
}

/** The run's own artifacts and those of its steps, each of them once. */
async function artifactsOf(
  own: readonly ArtifactRef[],
  pages: AsyncIterable<readonly StepRow[]> | Iterable<readonly StepRow[]>,
) {
  const byUri = new Map(own.map((artifact) => [artifact.uri, artifact]));
  let left = MAX_STEPS;
  for await (const page of pages) {
    for (const artifact of page.slice(0, left).flatMap(({ artifacts }) => artifacts)) byUri.set(artifact.uri, artifact);
    left -= page.length;
    if (left <= 0) break;
  }
  return [...byUri.values()];
}

async function* storedSteps(store: FullStateStore, runId: string): AsyncGenerator<readonly StepRow[]> {
  for (let afterOrdinal = -1; ;) {
    const page = await store.snapshots.listSteps({ runId, afterOrdinal, limit: PAGE });
    yield page;
    if (page.length < PAGE) return;
    afterOrdinal = page.at(-1)!.ordinal;
  }
}
