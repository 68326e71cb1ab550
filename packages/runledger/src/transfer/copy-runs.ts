/** Every run of a store, from where the copy of it ends. In order of their ids, each in order of its events. */
import { StopError, type CanonicalEngineEvent, type RunHead, type StateStore } from "@runledger/contracts";
import type { CopyTarget, RunPart } from "./copy-target.js";

export interface CopyOptions {
  /** Those behind this one: where an earlier copy was stopped. */
  readonly after?: string;
  /** Stops in front of the next runs. */
  readonly signal?: AbortSignal;
}

export interface CopiedRun {
  readonly runId: string;
  /** New ones; 0 = the copy was complete. */
  readonly events: number;
}

const HEADS = 500;
/** Runs with fewer new events than this share round trips. */
const FEW = 200;
const TOGETHER = 4000;
const CHUNK = 2000;

export async function* copyRuns(
  source: StateStore,
  target: CopyTarget,
  { after = "", signal }: CopyOptions = {},
): AsyncGenerator<CopiedRun> {
  for (let last = after; ;) {
    if (signal?.aborted === true) return;
    const heads = await source.listHeads({
      limit: HEADS,
      archived: true,
      ...(last === "" ? {} : { afterRunId: last }),
    });
    if (heads.length === 0) return;
    last = heads.at(-1)!.runId;
    const tasks = missing(heads, await target.positions(heads.map(({ runId }) => runId)));
    for (const group of grouped(tasks, source.feed !== undefined)) await copyGroup(source, target, group);
    await target.flush();
    for (const { head, afterSeq } of tasks) yield { runId: head.runId, events: head.headSeq - afterSeq };
  }
}

interface Task {
  readonly head: RunHead;
  readonly afterSeq: number;
}

function missing(heads: readonly RunHead[], positions: readonly number[]): Task[] {
  const tasks = heads.map((head, index) => ({ head, afterSeq: positions[index]! }));
  const ahead = tasks.find(({ head, afterSeq }) => afterSeq > head.headSeq);
  if (ahead === undefined) return tasks;
  const { head, afterSeq } = ahead;
  const message = `The copy of run ${head.runId} has ${afterSeq} events, the run itself ${head.headSeq}: it is a copy of another ledger, or of a later time.`;
  throw new StopError("COPY_MISMATCH", message);
}

/** Small runs together, each long one alone. */
function* grouped(tasks: readonly Task[], together: boolean): Generator<Task[]> {
  let [group, events]: [Task[], number] = [[], 0];
  for (const task of tasks) {
    const count = task.head.headSeq - task.afterSeq;
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

async function copyGroup(source: StateStore, target: CopyTarget, group: readonly Task[]): Promise<void> {
  if (group.length === 1) return copyLong(source, target, group[0]!);
  const asked = group.map(({ head, afterSeq }) => ({ runId: head.runId, afterSeq }));
  const found = await source.feed!.fetchRuns(asked, { limit: FEW });
  await target.write(group.map((task, index) => part(task, task.afterSeq, upTo(task.head.headSeq, found[index]!))));
}

/** What came after the head was read belongs to the next copy. */
function upTo(headSeq: number, events: readonly CanonicalEngineEvent[]): readonly CanonicalEngineEvent[] {
  return events.filter(({ runSeq }) => runSeq <= headSeq);
}

async function copyLong(source: StateStore, target: CopyTarget, task: Task): Promise<void> {
  const { head, afterSeq } = task;
  let [chunk, from]: [CanonicalEngineEvent[], number] = [[], afterSeq];
  for await (const event of source.streamEvents(head.runId, { afterSeq, toSeq: head.headSeq })) {
    if (chunk.push(event) < CHUNK) continue;
    await target.write([part(task, from, chunk)]);
    [chunk, from] = [[], event.runSeq];
  }
  if (chunk.length > 0) await target.write([part(task, from, chunk)]);
}

function part({ head }: Task, afterSeq: number, events: readonly CanonicalEngineEvent[]): RunPart {
  return { runId: head.runId, tenantId: head.tenantId, afterSeq, events };
}
