/** Every run of a store, from where the copy of it ends. In order of their ids, each in order of its events. */
import { StopError, type RunHead, type StateStore } from "@runledger/contracts";
import type { CopyTarget } from "./copy-target.js";
import { readAhead } from "./read-ahead.js";
import { newEvents, readMissing, type Task } from "./read-missing.js";

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
    for await (const parts of readAhead(readMissing(source, tasks))) await target.write(parts);
    await target.flush();
    for (const task of tasks) yield { runId: task.head.runId, events: newEvents(task) };
  }
}

function missing(heads: readonly RunHead[], positions: readonly number[]): Task[] {
  const tasks = heads.map((head, index) => ({ head, afterSeq: positions[index]! }));
  const ahead = tasks.find(({ head, afterSeq }) => afterSeq > head.headSeq);
  if (ahead === undefined) return tasks;
  const { head, afterSeq } = ahead;
  const message = `The copy of run ${head.runId} has ${afterSeq} events, the run itself ${head.headSeq}: it is a copy of another ledger, or of a later time.`;
  throw new StopError("COPY_MISMATCH", message);
}
