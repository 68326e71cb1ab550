/**
 * Verifies that derived data matches the log. Runs may change meanwhile, so each piece of derived data is compared with the
 * fold at its own seq.
 */
import { sha256Hex, type DerivedRun, type FullStateStore, type Projection } from "@runledger/contracts";
import { toRunHeader, type RunState } from "@runledger/core";
import { projectPending } from "./catch-up.js";
import {
  checkpointDifferences,
  fieldDifferences,
  isRecord,
  plainJson,
  projectionDifferences,
  queueDifferences,
} from "./differences.js";
import { LogFaults } from "./log-faults.js";
import { walkRuns, type WalkOptions } from "./walk-runs.js";

export interface VerifiedRun {
  readonly runId: string;
  readonly lastEventSeq: number;
  /** SHA-256 of the fold of the whole log: equal for equal histories, in every store. */
  readonly checksum: string;
  /** One text per piece of derived data that differs from the log. `store rebuild` corrects it. */
  readonly differences: readonly string[];
  /** One text per fault of the log itself. Only a backup helps: a rebuild would hide it. */
  readonly damage: readonly string[];
}

/** Verifies runs in the order of their ids. Projects pending events first, in case no projector runs. */
export async function* verify(store: FullStateStore, options: WalkOptions = {}): AsyncGenerator<VerifiedRun> {
  await projectPending(store);
  for await (const runId of walkRuns(store, options)) yield await verifyRun(store, runId);
}

/** A projection behind its log is a difference only if it stays behind after a catch-up. */
async function verifyRun(store: FullStateStore, runId: string): Promise<VerifiedRun> {
  const stored = await readStored(store, runId);
  const { header, head } = stored.derived;
  const isBehind = head !== null && (header?.lastEventSeq ?? 0) < head.headSeq;
  if (!isBehind) return compare(store, runId, stored);
  await projectPending(store);
  const again = await readStored(store, runId);
  const verified = await compare(store, runId, again);
  const at = again.derived.header?.lastEventSeq ?? 0;
  if (at >= head.headSeq || verified.damage.length > 0) return verified; // a projection stops at damage (F6)
  const difference = at === 0 ? "no projection" : `the projection is at seq ${at}, the log at ${head.headSeq}`;
  return { ...verified, differences: [...verified.differences, difference] };
}

interface Stored {
  readonly derived: DerivedRun;
  readonly keyframes: readonly Projection[];
}

async function readStored(store: FullStateStore, runId: string): Promise<Stored> {
  const seqs = await store.keyframes.listKeyframes(runId);
  const keyframes = await Promise.all(seqs.map((atSeq) => store.keyframes.loadKeyframe({ runId, atSeq })));
  const derived = await store.derived.readDerived(runId); // read last, so that nothing read earlier is ahead of it
  return { derived, keyframes: keyframes.filter((each) => each !== null) };
}

/** A comparison to make when the fold reaches `seq`. */
interface Comparison {
  readonly seq: number;
  readonly differences: (state: RunState) => string[];
}

async function compare(store: FullStateStore, runId: string, stored: Stored): Promise<VerifiedRun> {
  const { head } = stored.derived;
  const headSeq = head?.headSeq ?? 0;
  const comparisons = comparisonsOf(store, stored).sort((a, b) => a.seq - b.seq);
  const differences = comparisons
    .filter(({ seq }) => seq > headSeq)
    .map(({ seq }) => `derived data is at seq ${seq}, the log at ${headSeq}`);
  const due = comparisons.filter(({ seq }) => seq <= headSeq);
  const faults = new LogFaults(runId);
  const state = await faults.fold(store, headSeq, (folded) => {
    while (due[0]?.seq === folded.lastEventSeq) differences.push(...due.shift()!.differences(folded));
  });
  if (head === null) differences.push("no log");
  const damage = faults.found(differences.length > 0);
  return { runId, lastEventSeq: state.lastEventSeq, checksum: checksumOf(state), differences, damage };
}

function comparisonsOf(store: FullStateStore, { derived, keyframes }: Stored): Comparison[] {
  const { head, header, steps, checkpoint, indexRow } = derived;
  const comparisons: Comparison[] = keyframes.map((frame) => ({
    seq: frame.header.lastEventSeq,
    differences: (state) =>
      projectionDifferences(frame, state).map((what) => `keyframe ${frame.header.lastEventSeq}: ${what}`),
  }));
  if (header !== null) {
    const { stale: _, ...plain } = header;
    comparisons.push({
      seq: header.lastEventSeq,
      differences: (state) => projectionDifferences({ header: plain, steps }, state),
    });
    const expected = (state: RunState) => store.derived.expectedIndexRow(toRunHeader(state), head?.tenantId ?? "");
    comparisons.push({
      seq: header.lastEventSeq,
      differences: (state) => fieldDifferences("run index", indexRow, plainJson(expected(state))),
    });
  }
  if (checkpoint !== null)
    comparisons.push({ seq: checkpoint.seq, differences: (state) => checkpointDifferences(checkpoint, state) });
  if (head !== null) comparisons.push({ seq: head.headSeq, differences: (state) => queueDifferences(derived, state) });
  return comparisons;
}

export function checksumOf(state: RunState): string {
  return sha256Hex(sorted({ header: toRunHeader(state), steps: state.steps.rows() }));
}

/** Serializes with sorted keys, so that equal values give equal text. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    isRecord(part) ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))) : part,
  );
}
