/**
 * Proving that what is derived says what the log says. A run may go on meanwhile: everything is compared with the fold at
 * the seq that it says it stands at, and what changed under the eyes is looked at again.
 */
import { sha256Hex, type DerivedRun, type FullStateStore, type Projection } from "@runledger/contracts";
import { evolve, initialState, toRunHeader, type RunState } from "@runledger/core";
import { catchUp } from "./catch-up.js";
import {
  checkpointDifferences,
  fieldDifferences,
  isRecord,
  plainJson,
  projectionDifferences,
  queueDifferences,
} from "./differences.js";
import { walkRuns, type WalkOptions } from "./walk-runs.js";

export interface VerifiedRun {
  readonly runId: string;
  readonly lastEventSeq: number;
  /** SHA-256 of the fold of the whole log: equal for equal histories, in every store. */
  readonly checksum: string;
  /** What is not as it should be; empty = all is. */
  readonly differences: readonly string[];
}

/** Run by run, by id. Where no projector is at work, what is merely not projected yet is projected first. */
export async function* verify(store: FullStateStore, options: WalkOptions = {}): AsyncGenerator<VerifiedRun> {
  await catchUp(store);
  for await (const runId of walkRuns(store, options)) yield await verifyRun(store, runId);
}

/** Behind is different only if it still is when everything up to here has been projected. */
async function verifyRun(store: FullStateStore, runId: string): Promise<VerifiedRun> {
  const stored = await readStored(store, runId);
  const { header, head } = stored.derived;
  const isBehind = head !== null && (header?.lastEventSeq ?? 0) < head.headSeq;
  if (!isBehind) return compare(store, runId, stored);
  await catchUp(store);
  const again = await readStored(store, runId);
  const verified = await compare(store, runId, again);
  const at = again.derived.header?.lastEventSeq ?? 0;
  if (at >= head.headSeq) return verified;
  const difference =
    at === 0 ? "there is no projection" : `the projection stands at seq ${at}, the log at ${head.headSeq}`;
  return { ...verified, differences: [...verified.differences, difference] };
}

interface Stored {
  readonly derived: DerivedRun;
  readonly keyframes: readonly Projection[];
}

async function readStored(store: FullStateStore, runId: string): Promise<Stored> {
  const seqs = await store.keyframes.listKeyframes(runId);
  const keyframes = await Promise.all(seqs.map((atSeq) => store.keyframes.loadKeyframe({ runId, atSeq })));
  const derived = await store.derived.readDerived(runId); // last: nothing that was read before it can be ahead of it
  return { derived, keyframes: keyframes.filter((each) => each !== null) };
}

/** Everything there is to compare at a seq. */
interface Look {
  readonly seq: number;
  readonly differences: (state: RunState) => string[];
}

async function compare(store: FullStateStore, runId: string, stored: Stored): Promise<VerifiedRun> {
  const { head } = stored.derived;
  const headSeq = head?.headSeq ?? 0;
  const looks = looksAt(store, stored).sort((a, b) => a.seq - b.seq);
  const differences = looks
    .filter(({ seq }) => seq > headSeq)
    .map(({ seq }) => `something stands at seq ${seq}, the log at ${headSeq}`);
  let state = initialState(runId);
  const due = looks.filter(({ seq }) => seq <= headSeq);
  for await (const event of store.streamEvents(runId, { toSeq: headSeq })) {
    state = evolve(state, event);
    while (due[0]?.seq === state.lastEventSeq) differences.push(...due.shift()!.differences(state));
  }
  if (head === null) differences.push("it has no log");
  return { runId, lastEventSeq: state.lastEventSeq, checksum: checksumOf(state), differences };
}

function looksAt(store: FullStateStore, { derived, keyframes }: Stored): Look[] {
  const { head, header, steps, checkpoint, indexRow } = derived;
  const looks: Look[] = keyframes.map((frame) => ({
    seq: frame.header.lastEventSeq,
    differences: (state) =>
      projectionDifferences(frame, state).map((what) => `keyframe ${frame.header.lastEventSeq}: ${what}`),
  }));
  if (header !== null) {
    const { stale: _, ...plain } = header;
    looks.push({
      seq: header.lastEventSeq,
      differences: (state) => projectionDifferences({ header: plain, steps }, state),
    });
    const expected = (state: RunState) => store.derived.expectedIndexRow(toRunHeader(state), head?.tenantId ?? "");
    looks.push({
      seq: header.lastEventSeq,
      differences: (state) => fieldDifferences("run index", indexRow, plainJson(expected(state))),
    });
  }
  if (checkpoint !== null)
    looks.push({ seq: checkpoint.seq, differences: (state) => checkpointDifferences(checkpoint, state) });
  if (head !== null) looks.push({ seq: head.headSeq, differences: (state) => queueDifferences(derived, state) });
  return looks;
}

function checksumOf(state: RunState): string {
  return sha256Hex(sorted({ header: toRunHeader(state), steps: state.steps.rows() }));
}

/** Equal values give equal text. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    isRecord(part) ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))) : part,
  );
}
