/** Adds the result of a completed run to its header: its output, and the artifacts of its steps. */
import type { ArtifactRef, FullStateStore, RunHeader, StepRow } from "@runledger/contracts";
import { toRunHeader, type RunState } from "@runledger/core";
import { runOutput, type KnownSteps } from "./outputs.js";

/** Limits the work for a header. All artifacts of a longer run are in `listArtifacts`. */
const MAX_STEPS = 10_000;
const PAGE = 1_000;

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
  const output = await runOutput({ store, runId, planVersion }, header, known);
  const artifacts = await artifactsOf(header.artifacts, known.pages());
  return { ...header, artifacts, ...(output === undefined ? {} : { output }) };
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
