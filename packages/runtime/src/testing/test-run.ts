import type { CanonicalEngineEvent, FullStateStore, Json, RunSnapshot } from "@runledger/contracts";
import { isTerminal, type Action } from "@runledger/core";
import type { RunHandle } from "../ledger/run-handle.js";
import type { SendOptions } from "../runs/signals.js";

/** The parts of the ledger that a test run uses. */
export interface TestWorld {
  readonly store: FullStateStore;
  settle(): Promise<void>;
  /** Advances time to the next timer. Resolves to `false` if there is none. */
  advanceToNextTimer(): Promise<boolean>;
  nameSignal(): { readonly signalId: string };
}

/** A run on a test ledger. */
export class TestRun<Out = unknown, Sig = Readonly<Record<string, Json>>> {
  readonly id: string;
  readonly #handle: RunHandle<Out, Sig>;
  readonly #world: TestWorld;

  constructor(handle: RunHandle<Out, Sig>, world: TestWorld) {
    this.id = handle.id;
    this.#handle = handle;
    this.#world = world;
  }

  /** Advances time until the run finishes. Returns its output or throws RunFailedError. */
  async result(): Promise<Out> {
    await this.ended();
    return this.#handle.result();
  }

  /** Advances time until the run finishes with any status. */
  async ended(): Promise<RunSnapshot> {
    for (;;) {
      await this.#world.settle();
      const snapshot = await this.snapshot();
      if (isTerminal(snapshot.status)) return snapshot;
      if (!(await this.#world.advanceToNextTimer())) throw new Error(whyNot(snapshot));
    }
  }

  snapshot(): Promise<RunSnapshot> {
    return this.#world.store.projectSnapshot(this.id);
  }

  async events(): Promise<CanonicalEngineEvent[]> {
    const events: CanonicalEngineEvent[] = [];
    for await (const event of this.#world.store.streamEvents(this.id)) events.push(event);
    return events;
  }

  /** Sends a signal. The ledger keeps it until the run waits for it. */
  async signal<K extends keyof Sig & string>(name: K, payload: Sig[K], options?: SendOptions): Promise<void> {
    await this.#handle.signal(name, payload, { ...this.#world.nameSignal(), ...options });
    await this.#world.settle();
  }

  async act(action: Action, options?: SendOptions & { readonly stepId?: string }): Promise<void> {
    await this.#handle.act(action, { ...this.#world.nameSignal(), ...options });
    await this.#world.settle();
  }
}

function whyNot({ runId, status, steps }: RunSnapshot): string {
  const open = steps.filter((step) => step.status === "RUNNING").map(({ stepId }) => stepId);
  const where = open.length === 0 ? "" : ` at ${open.join(", ")}`;
  return `Run ${runId} is ${status}${where}, and no timer is pending. Send it a signal, or give the wait a timeout.`;
}
