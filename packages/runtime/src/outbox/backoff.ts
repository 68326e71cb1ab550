/** Delays between attempts: exponential, with full jitter in their upper half, so that many runs do not retry at once. */
const FIRST_MS = 1000;
const MAX_EVENT_MS = 10 * 60_000;
const MAX_BUS_MS = 60_000;

/** Delay before the next attempt of an event that the bus refused. */
export function eventDelay(attempts: number, random: () => number): number {
  return delay(attempts, MAX_EVENT_MS, random);
}

/** Delay before the next attempt of a bus that was unavailable. It is short, because one attempt serves all runs. */
export function busDelay(failures: number, random: () => number): number {
  return delay(failures, MAX_BUS_MS, random);
}

function delay(attempts: number, most: number, random: () => number): number {
  const full = Math.min(most, FIRST_MS * 2 ** Math.min(Math.max(attempts, 1) - 1, 30));
  return Math.round(full / 2 + (full / 2) * random());
}
