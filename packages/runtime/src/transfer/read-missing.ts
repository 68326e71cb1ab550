/** Reads the events that a copy is missing, in parts of bounded size. */
import { LogGapError, type CanonicalEngineEvent, type RunHead, type StateStore } from "@runledger/contracts";
import { assertComplete, assertNext, beforeGap } from "@runledger/core";
import type { RunPart } from "./copy-target.js";

/** A run to copy from `afterSeq` on. */
export interface Task {
  readonly head: RunHead;
  readonly afterSeq: number;
}

/** Runs with fewer new events than this share round trips. */
const FEW = 200;
const TOGETHER = 4000;
const CHUNK = 2000;

/** Receives a run whose log has lost events. */
export type OnDamaged = (error: LogGapError) => void;

/**
 * Yields parts of several short runs, or one part of a long run. Leaves damaged runs out: workers of the target would
 * execute the steps again that a lost event completed (F6).
 */
export async function* readMissing(
  source: StateStore,
  tasks: readonly Task[],
  onDamaged: OnDamaged,
): AsyncGenerator<RunPart[], void> {
  for (const group of grouped(tasks, source.feed !== undefined)) {
    if (group.length > 1) yield await readTogether(source, group, onDamaged);
    else yield* readWhole(source, group[0]!, onDamaged);
  }
}

async function* readWhole(source: StateStore, task: Task, onDamaged: OnDamaged): AsyncGenerator<RunPart[], void> {
  try {
    yield* readAlone(source, task);
  } catch (error) {
    if (!(error instanceof LogGapError)) throw error;
    onDamaged(error);
  }
}

/** Groups short runs; each long run is its own group. */
function* grouped(tasks: readonly Task[], together: boolean): Generator<Task[]> {
  let [group, events]: [Task[], number] = [[], 0];
  for (const task of tasks) {
    const count = newEvents(task);
    if (count === 0) continue;
    if (!together || count > FEW) {
      yield [task];
      continue;
    }
    if (events + count > TOGETHER) {
      yield group;
      [group, events] = [[], 0];
    }
    group.push(task);
    events += count;
  }
  if (group.length > 0) yield group;
}

async function readTogether(source: StateStore, group: readonly Task[], onDamaged: OnDamaged): Promise<RunPart[]> {
  const asked = group.map(({ head, afterSeq }) => ({ runId: head.runId, afterSeq }));
  const found = await source.feed!.fetchRuns(asked, { limit: FEW });
  return group.flatMap((task, index) => {
    const error = gapIn(task, found[index]!);
    if (error === null) return [part(task, task.afterSeq, found[index]!)];
    onDamaged(error);
    return [];
  });
}

/** Runs that fit into one part are fetched, not streamed. */
async function* readAlone(source: StateStore, task: Task): AsyncGenerator<RunPart[], void> {
  const { head, afterSeq } = task;
  if (newEvents(task) > CHUNK) return yield* readLong(source, task);
  const events = await source.fetchEvents(head.runId, { afterSeq, limit: newEvents(task) });
  const error = gapIn(task, events);
  if (error !== null) throw error;
  yield [part(task, afterSeq, events)];
}

/** Reads the log twice: no part of it is copied before it is known to be whole. */
async function* readLong(source: StateStore, task: Task): AsyncGenerator<RunPart[], void> {
  const { head, afterSeq } = task;
  await assertWhole(source, task);
  let [chunk, from]: [CanonicalEngineEvent[], number] = [[], afterSeq];
  for await (const event of source.streamEvents(head.runId, { afterSeq, toSeq: head.headSeq })) {
    if (chunk.push(event) < CHUNK) continue;
    yield [part(task, from, chunk)];
    [chunk, from] = [[], event.runSeq];
  }
  if (chunk.length > 0) yield [part(task, from, chunk)];
}

async function assertWhole(source: StateStore, { head, afterSeq }: Task): Promise<void> {
  let last = afterSeq;
  for await (const { runSeq } of source.streamEvents(head.runId, { afterSeq, toSeq: head.headSeq })) {
    assertNext(head.runId, last, runSeq);
    last = runSeq;
  }
  assertComplete(head.runId, last, head.headSeq);
}

/** A log with settled gaps cannot be copied either: no target can tell them from lost events (P10). */
function gapIn(task: Task, events: readonly CanonicalEngineEvent[]): LogGapError | null {
  const { runId, headSeq } = task.head;
  const { events: applicable, gap } = beforeGap(task.afterSeq, events);
  const last = applicable.at(-1)?.runSeq ?? task.afterSeq;
  if (gap === null && last >= headSeq) return null;
  return new LogGapError(runId, gap ?? { from: last + 1, to: headSeq });
}

export function newEvents({ head, afterSeq }: Task): number {
  return head.headSeq - afterSeq;
}

/** Drops events appended after the head was read; the next copy takes them. */
function part({ head }: Task, afterSeq: number, events: readonly CanonicalEngineEvent[]): RunPart {
  const { runId, tenantId, headSeq } = head;
  const isMore = (events.at(-1)?.runSeq ?? 0) > headSeq;
  return { runId, tenantId, afterSeq, events: isMore ? events.filter(({ runSeq }) => runSeq <= headSeq) : events };
}
