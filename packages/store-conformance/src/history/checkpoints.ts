/**
 * Checkpoints (C2) are labeled with a seq folded before the append that saved them. Resuming from one and applying the
 * later events must lead to the same state as a full replay.
 */
import type { CanonicalEngineEvent, Checkpoint } from "@runledger/contracts";
import { writtenBy } from "./calls.js";
import type { Part, RunFacts } from "./run-facts.js";
import type { Report } from "./violation.js";

/** Returns the state after `events` as text, starting at the checkpoint `from`, or at nothing if it is `null`. */
export type Replay = (runId: string, events: readonly CanonicalEngineEvent[], from: Checkpoint | null) => string;

export function checkCheckpoints(facts: RunFacts, replay: Replay | null, report: Report): void {
  const highest = highestLabels(facts);
  for (const { checkpoint, operation } of facts.checkpoints) {
    const { seq } = checkpoint;
    const message = faultOf(checkpoint, highest.get(identity(checkpoint)));
    if (message !== null) report({ invariant: "checkpoint-label", seq, operation, message });
    else if (replay !== null && operation === "the end") checkReplay(facts, checkpoint, replay, report);
  }
}

/**
 * Determines the highest valid label of each checkpoint that was sent. It is the head before an append that wrote and
 * may have saved it, the latest one if several calls sent the same checkpoint. A call that only repeated stored events
 * does not count, unless no other call sent the checkpoint.
 */
function highestLabels(facts: RunFacts): ReadonlyMap<string, number> {
  const labels = new Map<string, number>();
  const last = facts.rows.at(-1)?.event.runSeq ?? 0;
  for (const part of facts.parts) {
    if (part.checkpoint === null || part.outcome.status === "refused") continue;
    const head = headBefore(part, facts);
    const id = identity(part.checkpoint);
    if (Number.isFinite(head)) labels.set(id, Math.max(labels.get(id) ?? 0, head));
  }
  for (const { checkpoint, outcome } of facts.parts) {
    if (checkpoint === null || outcome.status === "refused") continue;
    const id = identity(checkpoint);
    if (!labels.has(id)) labels.set(id, last);
  }
  return labels;
}

function headBefore(part: Part, facts: RunFacts): number {
  const written = writtenBy(part, facts).map((row) => row.event.runSeq - 1);
  return written.reduce((least, seq) => Math.min(least, seq), Number.POSITIVE_INFINITY);
}

function faultOf({ seq }: Checkpoint, highest: number | undefined): string | null {
  if (highest === undefined) return `the checkpoint at seq ${seq} was saved by no accepted append under that label.`;
  if (seq <= highest) return null;
  return `the checkpoint is labeled ${seq}, but its own append starts at seq ${highest + 1}: a worker that resumes from it skips events that it does not contain.`;
}

function checkReplay(facts: RunFacts, checkpoint: Checkpoint, replay: Replay, report: Report): void {
  const events = facts.rows.map((row) => row.event);
  const tail = events.filter((event) => event.runSeq > checkpoint.seq);
  if (replay(facts.runId, tail, checkpoint) === replay(facts.runId, events, null)) return;
  const message = `resuming from the checkpoint at seq ${checkpoint.seq} gives another state than replaying the whole log.`;
  report({ invariant: "checkpoint-and-tail", seq: checkpoint.seq, operation: "the end", message });
}

const identity = ({ seq, checksum }: Checkpoint): string => `${seq} ${checksum}`;
