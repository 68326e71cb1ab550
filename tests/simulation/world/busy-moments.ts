import type { StoreCall } from "../../../packages/runledger/src/testing/intercept-store.js";

/** When a worker is about to append to a run, or to park it: whoever wants to get in its way comes now. */
export class BusyMoments {
  readonly #waiting = new Map<string, (() => void)[]>();

  next(runId: string): Promise<void> {
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(runId) ?? [];
      this.#waiting.set(runId, [...waiting, resolve]);
    });
  }

  see({ name, args }: StoreCall): void {
    if (name !== "appendEvents" && name !== "queue.parkRun") return;
    const [{ runId }] = args.flat() as [{ readonly runId: string }]; // of the first event, or of the run
    const waiting = this.#waiting.get(runId) ?? [];
    this.#waiting.delete(runId);
    for (const go of waiting) go();
  }
}
