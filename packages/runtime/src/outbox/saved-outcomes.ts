/** Saves the outcomes of deliveries together: outcomes gather while others are being saved. */
import type { DeliveryOutcome, OutboxStore } from "@runledger/contracts";
import { isUnavailable, retryFor } from "../time/retry.js";
import type { AtCrashPoint } from "./crash-points.js";
import { failuresOf } from "./failures-of.js";

export interface SavedOutcomesParts {
  readonly outbox: OutboxStore;
  readonly at: AtCrashPoint;
  readonly fault: (error: unknown) => void;
  /** Called for every outcome that was saved or given up. */
  readonly onSettled: (outcomes: readonly DeliveryOutcome[]) => void;
}

const BATCH = 500;
/** An outcome that cannot be saved is given up: the claim ends, and the events are published again. */
const RETRY_MS = 5000;

export class SavedOutcomes {
  readonly #parts: SavedOutcomesParts;
  readonly #waiting: DeliveryOutcome[] = [];
  #saving: Promise<void> | null = null;

  constructor(parts: SavedOutcomesParts) {
    this.#parts = parts;
  }

  add(outcome: DeliveryOutcome): void {
    this.#waiting.push(outcome);
    this.#saving ??= this.#saveAll();
  }

  /** Resolves once everything that was added is saved. */
  async settled(): Promise<void> {
    await this.#saving;
  }

  async #saveAll(): Promise<void> {
    await Promise.resolve(); // others that finish now join
    while (this.#waiting.length > 0) await this.#save(this.#waiting.splice(0, BATCH));
    this.#saving = null; // in the same turn as the check: an outcome that is added later starts again
  }

  async #save(outcomes: readonly DeliveryOutcome[]): Promise<void> {
    const { outbox, at, fault, onSettled } = this.#parts;
    try {
      const save = (some: readonly DeliveryOutcome[]) => retryFor(RETRY_MS)(() => outbox.saveDeliveries(some));
      for (const { error } of await failuresOf(outcomes, save)) fault(error);
      await at("outcomes-saved");
    } catch (error) {
      if (!isUnavailable(error)) fault(error);
    } finally {
      onSettled(outcomes);
    }
  }
}
