/**
 * Checkpoints (C2): labelled with a seq that was folded before the append that saved them, so that resuming from one
 * and applying what comes after its label gives what a full replay gives.
 */
import type { CanonicalEngineEvent, Checkpoint } from "@runledger/contracts";
import type { Part, RunFacts } from "./run-facts.js";
import type { Report } from "./violation.js";

/** The state after `events`, as text; `from` = the checkpoint to go on from, null = from nothing. */
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

/** For each checkpoint that was sent: the highest label that some call which carried it may have given it. */
function highestLabels(facts: RunFacts): ReadonlyMap<string, number> {
  const labels = new Map<string, number>();
  for (const part of facts.parts) {
    if (part.checkpoint === null || part.outcome.status === "refused") continue;
    const id = identity(part.checkpoint);
    labels.set(id, Math.max(labels.get(id) ?? -1, headBefore(part, facts)));
  }
  return labels;
}

/** -1 = its append is not in the log. */
function headBefore(part: Part, { rowOfKey }: RunFacts): number {
  const seqs = part.events.flatMap((event) => rowOfKey.get(event.key)?.event.runSeq ?? []);
  return seqs.reduce((least, seq) => Math.min(least, seq - 1), seqs.length === 0 ? -1 : Number.POSITIVE_INFINITY);
}

function faultOf({ seq }: Checkpoint, highest: number | undefined): string | null {
  if (highest === undefined) return `the checkpoint at seq ${seq} was saved by no accepted append under that label.`;
  if (highest < 0) return `the checkpoint at seq ${seq} is stored, but the append that carried it is not.`;
  if (seq <= highest) return null;
  return `the checkpoint is labelled ${seq}, but its own append begins at seq ${highest + 1}: whoever resumes from it skips events that it does not contain.`;
}

function checkReplay(facts: RunFacts, checkpoint: Checkpoint, replay: Replay, report: Report): void {
  const events = facts.rows.map((row) => row.event);
  const tail = events.filter((event) => event.runSeq > checkpoint.seq);
  if (replay(facts.runId, tail, checkpoint) === replay(facts.runId, events, null)) return;
  const message = `resuming from the checkpoint at seq ${checkpoint.seq} gives another state than replaying the whole log.`;
  report({ invariant: "checkpoint-and-tail", seq: checkpoint.seq, operation: "the end", message });
}

const identity = ({ seq, checksum }: Checkpoint): string => `${seq} ${checksum}`;
