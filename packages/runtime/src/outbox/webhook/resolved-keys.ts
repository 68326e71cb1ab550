/** Keys that secrets name. They are resolved again after a while, so that a rotation needs no restart. */
import { BusUnavailableError } from "../event-bus.js";
import { messageOf } from "../outcomes.js";

const KEYS_MS = 30_000;

export class ResolvedKeys {
  readonly #resolve: () => Promise<readonly string[]>;
  #keys: { readonly until: number; readonly values: readonly string[] } | null = null;

  constructor(resolve: () => Promise<readonly string[]>) {
    this.#resolve = resolve;
  }

  /** Throws `BusUnavailableError` if the keys cannot be resolved. */
  async values(): Promise<readonly string[]> {
    const now = performance.now();
    if (this.#keys !== null && now < this.#keys.until) return this.#keys.values;
    const values = await this.#resolve().catch((error: unknown) => {
      throw new BusUnavailableError(messageOf(error));
    });
    this.#keys = { until: now + KEYS_MS, values };
    return values;
  }
}
