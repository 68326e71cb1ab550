/** Sends the calls that the coalescer gathered: one transaction per run, calls of a run without conditions in one. */
import { RetryError, RunledgerError } from "@runledger/contracts";
import type { RunAppend, RunOutcome } from "@runledger/core/store";
import { appendRun } from "./append-events.js";
import { bytesOf, MAX_BYTES, MAX_EVENTS } from "./append-limits.js";
import type { Db } from "./db.js";

interface Indexed {
  readonly part: RunAppend;
  readonly index: number;
}

export async function sendBatch(db: Db, parts: readonly RunAppend[]): Promise<readonly RunOutcome[]> {
  const outcomes: RunOutcome[] = [];
  const byRun = new Map<string, Indexed[]>();
  parts.forEach((part, index) => byRun.set(part.runId, [...(byRun.get(part.runId) ?? []), { part, index }]));
  await Promise.all([...byRun.values()].map((own) => sendRun(db, own, outcomes)));
  return outcomes;
}

/** In order: the next group is sent after the last one is stored. */
async function sendRun(db: Db, parts: readonly Indexed[], outcomes: RunOutcome[]): Promise<void> {
  for (const group of groupsOf(parts)) {
    const outcome = await appendRun(db, merged(group.map(({ part }) => part)));
    const isRefused = outcome instanceof RunledgerError && !(outcome instanceof RetryError);
    if (isRefused && group.length > 1) await sendEach(db, group, outcomes);
    else divide(group, outcome, outcomes);
  }
}

/** A refusal may concern only some of the calls: others may be stored already. */
async function sendEach(db: Db, group: readonly Indexed[], outcomes: RunOutcome[]): Promise<void> {
  for (const { part, index } of group) outcomes[index] = await appendRun(db, part);
}

function divide(group: readonly Indexed[], outcome: RunOutcome, outcomes: RunOutcome[]): void {
  let next = 0;
  for (const { part, index } of group)
    outcomes[index] = outcome instanceof RunledgerError ? outcome : outcome.slice(next, (next += part.events.length));
}

function groupsOf(parts: readonly Indexed[]): Indexed[][] {
  const groups: Indexed[][] = [];
  for (const next of parts) {
    const last = groups.at(-1);
    if (last !== undefined && fits(last, next)) last.push(next);
    else groups.push([next]);
  }
  return groups;
}

function fits(group: readonly Indexed[], { part }: Indexed): boolean {
  const all = [...group.map((one) => one.part), part];
  const events = all.flatMap((one) => one.events);
  return all.every(isPlain) && events.length <= MAX_EVENTS && bytesOf(events) <= MAX_BYTES;
}

/** Effects of a repeated call must not happen again, so calls with effects are sent alone. */
function isPlain({ wakes, acts, ends, enqueues }: RunAppend): boolean {
  return wakes.length === 0 && !acts && !ends && enqueues === null;
}

function merged(parts: readonly RunAppend[]): RunAppend {
  return parts.length === 1 ? parts[0]! : { ...parts[0]!, events: parts.flatMap(({ events }) => events) };
}
