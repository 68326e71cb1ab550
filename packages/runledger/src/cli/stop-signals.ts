/** `npm` forwards a Ctrl-C that the terminal also sends to us. Signals that close together count as one. */
const SAME_SIGNAL_MS = 200;

/** Calls `stop` for each Ctrl-C or SIGTERM, with their number so far. Disposing removes the handlers. */
function onStopSignals(stop: (times: number) => void): Disposable {
  let times = 0;
  let lastAt = -Infinity;
  const onSignal = (): void => {
    const isSame = performance.now() - lastAt < SAME_SIGNAL_MS;
    lastAt = performance.now();
    if (!isSame) stop(++times);
  };
  const signals = ["SIGINT", "SIGTERM"] as const;
  for (const signal of signals) process.on(signal, onSignal);
  return {
    [Symbol.dispose]: () => {
      for (const signal of signals) process.off(signal, onSignal);
    },
  };
}

/** Returns a signal that the first Ctrl-C or SIGTERM aborts. */
export function stopSignal(): Disposable & { readonly signal: AbortSignal } {
  const controller = new AbortController();
  return Object.assign(
    onStopSignals(() => controller.abort()),
    { signal: controller.signal },
  );
}

/** Waits for a signal, then stops the worker: the first lets running steps finish, the second releases their runs. */
export async function workUntilStopped(worker: { stop(): Promise<void> }, log: (line: string) => void): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    // The handlers stay until the process exits: a third signal must not kill it while it stops.
    onStopSignals((times) => {
      if (times === 1)
        log("Stopping after running steps finish. Press Ctrl-C again to release them to other workers now.");
      worker.stop().then(resolve, reject);
    });
  });
}

/** Exits when `work` is done. A step that was released may still be running and must not keep the process alive. */
export async function exitAfter(work: Promise<void>): Promise<never> {
  await work;
  process.exit();
}
