/** Saves the counters of triggers. Events that arrive while a save is in progress are saved together. */
import type { EventCounts, FullStateStore, TriggerName } from "@runledger/contracts";
import { tryOnce } from "../time/retry.js";
import type { EventOutcome } from "./start-for-event.js";

interface Pending extends EventCounts {
  readonly name: TriggerName;
  readonly lastRunId: string | undefined;
}

export class TriggerReports {
  readonly #store: Pick<FullStateStore, "triggers">;
  readonly #fault: (error: unknown) => void;
  readonly #pending = new Map<string, Pending>();
  #saving: Promise<void> | null = null;

  constructor(store: Pick<FullStateStore, "triggers">, fault: (error: unknown) => void) {
    this.#store = store;
    this.#fault = fault;
  }

  add({ tenantId, triggerId }: TriggerName, event: EventOutcome): void {
    const key = JSON.stringify([tenantId, triggerId]);
    const none = { started: 0, repeated: 0, skipped: 0, rejected: 0, lastRunId: undefined };
    const known = this.#pending.get(key) ?? { ...none, name: { tenantId, triggerId } };
    const lastRunId = event.outcome === "started" ? event.runId : known.lastRunId;
    this.#pending.set(key, { ...known, [event.outcome]: known[event.outcome] + 1, lastRunId });
    this.#saving ??= this.#save().finally(() => (this.#saving = null));
  }

  /** Resolves once everything that was added is saved. */
  async settled(): Promise<void> {
    while (this.#saving !== null) await this.#saving;
  }

  /** A report that cannot be saved is lost: counters are for people. */
  async #save(): Promise<void> {
    for (let [key] = this.#pending.keys(); key !== undefined; [key] = this.#pending.keys()) {
      const { name, lastRunId, ...counts } = this.#pending.get(key)!;
      this.#pending.delete(key);
      const report = { ...counts, ...(lastRunId === undefined ? {} : { lastRunId }) };
      await tryOnce(() => this.#store.triggers.reportEvents(name, report), this.#fault);
    }
  }
}
