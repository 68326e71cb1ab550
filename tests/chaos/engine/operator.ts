/** Continuously starts runs, sends signals and acts on them. Retries calls without a response. */
import { setTimeout as sleep } from "node:timers/promises";
import { RetryError, StopError } from "@runledger/contracts";
import type { Ledger } from "@runledger/runtime/ledger/ledger";
import type { AnyWorkflow } from "@runledger/runtime/workflow/types";
import { random, type Random } from "../../simulation/world/random.js";
import type { Database } from "./database.js";
import { chaosWorkflows } from "./workflows.js";

const OPEN = 12;

const { child: _, ...workflows } = chaosWorkflows(() => Promise.reject(new Error("Only workers perform.")));
type Shape = keyof typeof workflows;
const shapes = Object.keys(workflows) as Shape[];

export class Operator {
  readonly started: string[] = [];
  readonly #ledger: Ledger;
  readonly #database: Database;
  readonly #draw: Random;
  readonly #sending = new Set<Promise<void>>();
  #stopped = false;

  constructor(ledger: Ledger, database: Database, seed: number) {
    this.#ledger = ledger;
    this.#database = database;
    this.#draw = random(seed);
  }

  /** Keeps some runs open until it is stopped. */
  async work(): Promise<void> {
    while (!this.#stopped) {
      const open = await this.#database.openRuns();
      for (let count = open ?? OPEN; count < OPEN && !this.#stopped; count++) await this.#startNext();
      await sleep(20);
    }
    await Promise.all(this.#sending);
  }

  /** Starts no more runs and sends the remaining signals. */
  stop(): void {
    this.#stopped = true;
  }

  async #startNext(): Promise<void> {
    const shape = shapes[this.started.length % shapes.length]!;
    const runId = `${shape}-${this.started.length}`;
    this.started.push(runId);
    const workflow = workflows[shape] as AnyWorkflow;
    await insist(() => this.#ledger.start(workflow, { input: undefined as never, runId, requestId: runId }));
    const sending = this.#attend(shape, runId);
    this.#sending.add(sending);
    void sending.finally(() => this.#sending.delete(sending));
  }

  async #attend(shape: Shape, runId: string): Promise<void> {
    const wait = (): Promise<void> => sleep(this.#draw.between(0, 600));
    if (shape === "waits") {
      for (const signalId of ["go-1", "go-2", "go-2", "go-3"]) {
        await insist(() => this.#ledger.signal(runId, "go", { signalId }, { signalId }));
        await wait();
      }
    }
    if (shape === "chain" && this.#draw.chance(0.3)) {
      await wait();
      await insist(() => this.#ledger.act(runId, "PAUSE", { signalId: "pause" }));
      await wait();
      await insist(() => this.#ledger.act(runId, "RESUME", { signalId: "resume" }));
    }
    if (shape === "reopens") {
      await this.#hasFailed(runId);
      await insist(() => this.#ledger.act(runId, "RETRY_RUN", { signalId: "retry" }));
    }
    if (shape === "saga" || (shape === "family" && this.#draw.chance(0.3))) {
      await wait();
      await wait();
      await insist(() => this.#ledger.act(runId, "CANCEL", { signalId: "cancel" }));
    }
  }

  async #hasFailed(runId: string): Promise<void> {
    const failed = "SELECT count(*) FROM runledger.run_events WHERE run_id = $1 AND event_type = 'RunFailed'";
    while (!((await this.#database.count(failed, [runId])) ?? 0)) await sleep(100);
  }
}

/** A rejection counts as a response. */
async function insist(action: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await action();
      return;
    } catch (error) {
      if (error instanceof StopError && error.code === "SIGNAL_REJECTED") return;
      if (!(error instanceof RetryError)) throw error;
      await sleep(50);
    }
  }
}
