import { setTimeout as sleep } from "node:timers/promises";

const POLL_MS = 20;

/** Waits until the condition holds. The time limit is the test's own. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(POLL_MS);
}
