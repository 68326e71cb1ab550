/** What is missing of runs, read in pieces of bounded size. */
import type { CanonicalEngineEvent, RunHead, StateStore } from "@runledger/contracts";
import type { RunPart } from "./copy-target.js";

/** A run, of which the copy has everything up to `afterSeq`. */
export interface Task {
  readonly head: RunHead;
  readonly afterSeq: number;
}

/** Runs with fewer new events than this share round trips. */
const FEW = 200;
const TOGETHER = 4000;
const CHUNK = 2000;

/** Parts of different runs, or one part of a long one. */
export async function* readMissing(source: StateStore, tasks: readonly Task[]): AsyncGenerator<RunPart[], void> {
  for (const group of grouped(tasks, source.feed !== undefined)) {
    if (group.length > 1) yield await readTogether(source, group);
    else yield* readAlone(source, group[0]!);
  }
}

/** Small runs together, each long one alone. */
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

async function readTogether(source: StateStore, group: readonly Task[]): Promise<RunPart[]> {
  const asked = group.map(({ head, afterSeq }) => ({ runId: head.runId, afterSeq }));
  const found = await source.feed!.fetchRuns(asked, { limit: FEW });
  return group.map((task, index) => part(task, task.afterSeq, found[index]!));
}

/** What is one part needs no stream. */
async function* readAlone(source: StateStore, task: Task): AsyncGenerator<RunPart[], void> {
  const { head, afterSeq } = task;
  if (newEvents(task) > CHUNK) return yield* readLong(source, task);
  const events = await source.fetchEvents(head.runId, { afterSeq, limit: newEvents(task) });
  yield [part(task, afterSeq, events)];
}

async function* readLong(source: StateStore, task: Task): AsyncGenerator<RunPart[], void> {
  const { head, afterSeq } = task;
  let [chunk, from]: [CanonicalEngineEvent[], number] = [[], afterSeq];
  for await (const event of source.streamEvents(head.runId, { afterSeq, toSeq: head.headSeq })) {
    if (chunk.push(event) < CHUNK) continue;
    yield [part(task, from, chunk)];
    [chunk, from] = [[], event.runSeq];
  }
  if (chunk.length > 0) yield [part(task, from, chunk)];
}

export function newEvents({ head, afterSeq }: Task): number {
  return head.headSeq - afterSeq;
}

/** What came after the head was read belongs to the next copy. */
function part({ head }: Task, afterSeq: number, events: readonly CanonicalEngineEvent[]): RunPart {
  const { runId, tenantId, headSeq } = head;
  const isMore = (events.at(-1)?.runSeq ?? 0) > headSeq;
  return { runId, tenantId, afterSeq, events: isMore ? events.filter(({ runSeq }) => runSeq <= headSeq) : events };
}
