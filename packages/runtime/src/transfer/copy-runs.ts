/** Copies every run of a store, each from the end of its existing copy, in the order of run ids and events. */
import { StopError, type LogGapError, type RunHead, type StateStore } from "@runledger/contracts";
import type { CopyTarget } from "./copy-target.js";
import { readAhead } from "./read-ahead.js";
import { newEvents, readMissing, type Task } from "./read-missing.js";

export interface CopyOptions {
  /** Copies runs whose ids sort after this one: continues an interrupted copy. */
  readonly after?: string;
  /** Stops before the next runs. */
  readonly signal?: AbortSignal;
}

export interface CopiedRun {
  readonly runId: string;
  /** Number of new events; 0 if the copy was complete. */
  readonly events: number;
  /** Why the run was left out: its log has lost events. Absent if nothing is missing. */
  readonly damage?: string;
}

const HEADS = 500;

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
    const damaged = new Map<string, string>();
    const onDamaged = ({ runId, message }: LogGapError): void => void damaged.set(runId, message);
    for await (const parts of readAhead(readMissing(source, tasks, onDamaged))) await target.write(parts);
    await target.flush();
    for (const task of tasks) yield copied(task, damaged.get(task.head.runId));
  }
}

function copied(task: Task, damage: string | undefined): CopiedRun {
  const { runId } = task.head;
  return damage === undefined ? { runId, events: newEvents(task) } : { runId, events: 0, damage };
}

function missing(heads: readonly RunHead[], positions: readonly number[]): Task[] {
  const tasks = heads.map((head, index) => ({ head, afterSeq: positions[index]! }));
  const ahead = tasks.find(({ head, afterSeq }) => afterSeq > head.headSeq);
  if (ahead === undefined) return tasks;
  const { head, afterSeq } = ahead;
  const message = `The copy of run ${head.runId} has ${afterSeq} events, but the run has ${head.headSeq}. The target is a copy of another ledger or of a later time; choose another target.`;
  throw new StopError("COPY_MISMATCH", message);
}
