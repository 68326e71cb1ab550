/**
 * Starts runs on a store without a queue: records the run, then has it executed. If the process is lost in between, the
 * same request continues the start.
 */
import {
  readEventData,
  SeqMismatchError,
  StopError,
  type AppendResult,
  type RunQueue,
  type RunStart,
  type StateStore,
} from "@runledger/contracts";
import { isTerminal } from "@runledger/core";
import type { Executions } from "../engine/engine.js";
import type { DirectStarts } from "../runs/direct-starts.js";
import { loadState } from "../runs/load-state.js";
import { inputHashOf, repeatedData } from "../runs/start-key.js";
import { refused } from "./missing-ports.js";

type Started = Awaited<ReturnType<RunQueue["startRun"]>>;

export class DirectQueue implements RunQueue, DirectStarts {
  readonly #log: StateStore;
  readonly #executions: Executions;
  readonly claimRuns = refused("queue");
  readonly heldRuns = refused("queue");
  readonly parkRun = refused("queue");
  readonly inspectRun = refused("queue");
  readonly listQueue = refused("queue");
  readonly countQueue = refused("queue");

  constructor(log: StateStore, executions: Executions) {
    this.#log = log;
    this.#executions = executions;
  }

  runIdOf({ startKey, dedupeKey = startKey }: Pick<RunStart, "startKey" | "dedupeKey">): string {
    return `run_${dedupeKey.slice(0, 32)}`;
  }

  ensureExecution(runId: string): Promise<void> {
    return this.#executions.start(runId);
  }

  async startRun(start: RunStart): Promise<Started> {
    refuseWaiting(start);
    const { runId } = start.event;
    const first = await this.#record(start);
    const created = first?.persisted ?? false;
    const isSame = first !== null && first.conflict !== true;
    const inputHash = isSame ? start.inputHash : await this.#storedHash(runId);
    if (created || !(await this.#isFinished(runId))) await this.ensureExecution(runId);
    return { runId, created, inputHash, limited: false };
  }

  /** Returns `null` if an earlier call has recorded the run for another version of the workflow. */
  async #record({ event, kept = [], tenantId }: RunStart): Promise<AppendResult | null> {
    const log = this.#log.forTenant(tenantId);
    try {
      const [first] = await log.appendEvents([event, ...kept], { expectedSeq: 0 });
      return first!;
    } catch (error) {
      if (!(error instanceof SeqMismatchError)) throw error;
      return null;
    }
  }

  async #storedHash(runId: string): Promise<string> {
    const [queued] = await this.#log.fetchEvents(runId, { limit: 1 });
    const { input, fork } = readEventData("RunQueued", queued!.eventData);
    return inputHashOf(repeatedData(input, fork));
  }

  async #isFinished(runId: string): Promise<boolean> {
    return isTerminal((await loadState(this.#log, runId)).status);
  }
}

function refuseWaiting({ startAt, concurrencyKey }: RunStart): void {
  if (startAt === undefined && concurrencyKey === undefined) return;
  const option = startAt === undefined ? "concurrencyKey" : "startAt";
  const message = `${option} needs a queue, and this store has none: its runs start immediately. Leave ${option} out, or use a ledger on postgres:// or embedded:.`;
  throw new StopError("STORE_UNSUITABLE", message);
}
