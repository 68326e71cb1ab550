import { setTimeout as sleep } from "node:timers/promises";

/** Does not keep the process alive by itself: a program that is done ends, whatever we are waiting for. */
export const pause = (ms: number): Promise<void> => sleep(ms, undefined, { ref: false });

/** The same, cut short when the signal fires. */
export const pauseUnless = (signal: AbortSignal, ms: number): Promise<void> =>
  sleep(ms, undefined, { ref: false, signal }).catch(() => {});

/** For what the caller awaits: keeps the process alive meanwhile. */
export async function keepingAlive<T>(work: () => Promise<T>): Promise<T> {
  const anchor = setInterval(() => {}, 60_000);
  try {
    return await work();
  } finally {
    clearInterval(anchor);
  }
}

/** Asks until the answer is yes; false = the time is up. */
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
