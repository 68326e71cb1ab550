import { setTimeout as sleep } from "node:timers/promises";

/** Does not keep the process alive: a program that is done can exit while we wait. */
export const pause = (ms: number): Promise<void> => sleep(ms, undefined, { ref: false });

/** The same, ended early by the signal. */
export const pauseUnless = (signal: AbortSignal, ms: number): Promise<void> =>
  sleep(ms, undefined, { ref: false, signal }).catch(() => {});

/** Keeps the process alive while the caller waits for `work`. */
export async function keepingAlive<T>(work: () => Promise<T>): Promise<T> {
  const anchor = setInterval(() => {}, 60_000);
  try {
    return await work();
  } finally {
    clearInterval(anchor);
  }
}

/** Polls until the condition is true. Returns `false` if the time is up. */
export async function waitUntil(
  condition: () => boolean | Promise<boolean>,
  limits: { readonly everyMs: number; readonly atMostMs: number },
): Promise<boolean> {
  const deadline = performance.now() + limits.atMostMs;
  while (!(await condition())) {
    if (performance.now() > deadline) return false;
    await pause(limits.everyMs);
  }
  return true;
}
