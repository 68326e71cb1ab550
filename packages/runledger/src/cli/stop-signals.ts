/** Ctrl-C and SIGTERM: called for each, with how many there were. Takes the handlers away when disposed. */
export function onStopSignals(stop: (times: number) => void): Disposable {
  let times = 0;
  const heard = (): void => stop(++times);
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
