import type { StoreCall } from "@runledger/runtime/testing/intercept-store";

/** Notifies operators when a worker is about to append to a run or park it, so that they can race with it. */
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
    const [{ runId }] = args.flat() as [{ readonly runId: string }]; // the run of the first event, or the run itself
    const waiting = this.#waiting.get(runId) ?? [];
    this.#waiting.delete(runId);
    for (const go of waiting) go();
  }
}
