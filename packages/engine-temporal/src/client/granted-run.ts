/**
 * Hands a claimed run to its execution on the cluster, and tells the execution when the run is woken. The claim stays until
 * the execution parks or finishes the run, so a cluster that is down for a while gets its grants later.
 */
import type { HeldRun } from "@runledger/contracts";
import type { Driver } from "@runledger/runtime/engine/worker";
import { HandOver } from "@runledger/runtime/engine/release-run";
import { Notifier } from "@runledger/runtime/time/notifier";
import { retry } from "@runledger/runtime/time/retry";
import type { Timers } from "@runledger/runtime/time/timers";
import { WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError, type Client } from "@temporalio/client";
import { GRANT, WORKFLOW_TYPE, type ExecutionSettings, type Grant, type RunInput } from "../messages.js";

export interface GrantParts {
  readonly client: Client;
  readonly taskQueue: string;
  readonly execution: ExecutionSettings;
  readonly timers: Timers;
  /** How often to check that the execution exists. */
  readonly checkMs: number;
}

export class GrantedRun implements Driver {
  readonly held: HeldRun;
  readonly end = null;
  readonly isChild = false;
  readonly #parts: GrantParts;
  /** `true` if another process claimed the run. It sends the grants; this one does so only later, if it was lost. */
  readonly #isBackup: boolean;
  readonly #notifier: Notifier;
  #isOver = false;
  #wakes: number;
  #sentWakes = -1;

  constructor(parts: GrantParts, held: HeldRun, isClaimed: boolean) {
    this.#parts = parts;
    this.#isBackup = !isClaimed;
    this.held = held;
    this.#wakes = held.wakes;
    this.#notifier = new Notifier(parts.timers);
  }

  /**
   * Resolves when the run is parked or finished. If an operator terminated the execution, or the cluster lost it, the
   * worker releases the run and claims it again: under a new epoch, so that nothing of the old execution can write.
   */
  async drive(): Promise<void> {
    if (!this.#isBackup) await this.#send();
    while (!this.#isOver) {
      await this.#notifier.wait(this.#parts.checkMs);
      await this.#send();
      if (!this.#isOver && !(await this.#isExecuted())) throw new HandOver();
    }
  }

  async #isExecuted(): Promise<boolean> {
    try {
      return (await hasExecution(this.#parts.client, this.held.runId)) || this.#isOver;
    } catch {
      return true; // a cluster that does not answer may still execute it
    }
  }

  /** Checks now that the execution exists. */
  checkNow(): void {
    this.#notifier.notify();
  }

  setWakes(wakes: number): void {
    if (wakes === this.#wakes) return;
    this.#wakes = wakes;
    if (!this.#isBackup) void this.#send();
  }

  /** The execution continues without this process. */
  drain(): void {
    this.abandon();
  }

  abandon(): void {
    this.#isOver = true;
    this.#notifier.notify();
  }

  /** Repeats until the cluster has the grant, or the run is no longer held. */
  async #send(): Promise<void> {
    const { timers } = this.#parts;
    const policy = { timers, delayMs: 200, maxDelayMs: 5000, shouldRetry: () => !this.#isOver };
    await retry(() => this.#sendOnce(), policy).catch(() => {});
  }

  async #sendOnce(): Promise<void> {
    if (this.#isOver || this.#sentWakes === this.#wakes) return;
    const { runId, epoch, slot, takenFrom } = this.held;
    const wakes = this.#wakes;
    const grant: Grant = { epoch, slot, takenFrom, wakes };
    const input: RunInput = { runId, settings: this.#parts.execution };
    const isFirst = epoch === 1 && this.#sentWakes < 0;
    if (!isFirst || !(await this.#start({ ...input, grant }))) await this.#signal(input, grant);
    this.#sentWakes = wakes;
  }

  /** A run that was never granted has no execution: the grant travels with its start, which saves a signal. */
  async #start(input: RunInput): Promise<boolean> {
    const { client, taskQueue } = this.#parts;
    try {
      await client.workflow.start(WORKFLOW_TYPE, { workflowId: input.runId, taskQueue, args: [input] });
      return true;
    } catch (error) {
      if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
      throw error;
    }
  }

  async #signal(input: RunInput, grant: Grant): Promise<void> {
    const { client, taskQueue } = this.#parts;
    await client.workflow.signalWithStart(WORKFLOW_TYPE, {
      workflowId: input.runId,
      taskQueue,
      args: [input],
      signal: GRANT,
      signalArgs: [grant],
    });
  }
}

/** Returns `true` if the cluster has an open execution of the run. */
export async function hasExecution(client: Client, runId: string): Promise<boolean> {
  try {
    return (await client.workflow.getHandle(runId).describe()).status.name === "RUNNING";
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}
