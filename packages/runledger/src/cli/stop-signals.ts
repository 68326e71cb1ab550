/** `npm` passes on the Ctrl-C that the terminal has sent us as well: what comes that close is one. */
const SAME_MS = 200;

/** Ctrl-C and SIGTERM: called for each, with how many there were. Takes the handlers away when disposed. */
function onStopSignals(stop: (times: number) => void): Disposable {
  let times = 0;
  let lastAt = -Infinity;
  const heard = (): void => {
    const isSame = performance.now() - lastAt < SAME_MS;
    lastAt = performance.now();
    if (!isSame) stop(++times);
  };
  const signals = ["SIGINT", "SIGTERM"] as const;
  for (const signal of signals) process.on(signal, heard);
  return {
    [Symbol.dispose]: () => {
      for (const signal of signals) process.off(signal, heard);
    },
  };
}

/** Aborted by the first of them. */
export function untilStopped(): Disposable & { readonly signal: AbortSignal } {
  const controller = new AbortController();
  return Object.assign(
    onStopSignals(() => controller.abort()),
    { signal: controller.signal },
  );
}

/** Works until the first signal, then lets it finish what runs; the second hands that over. */
export async function workUntilStopped(worker: { stop(): Promise<void> }, say: (line: string) => void): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    // The handlers stay until the process ends: a third signal is no reason to die halfway.
    onStopSignals((times) => {
      if (times === 1) say("Stopping: running steps are finished. Once more hands them over at once.");
      worker.stop().then(resolve, reject);
    });
  });
}

/** What a step still does after it was handed over is nobody's business any more, and must not keep the process. */
export async function thenLeave(work: Promise<void>): Promise<never> {
  await work;
  process.exit();
}
