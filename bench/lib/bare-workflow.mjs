/** A Temporal workflow without Runledger. It runs in Temporal's sandbox. */
import { proxyActivities } from "@temporalio/workflow";

const { empty } = /** @type {{ empty: () => Promise<void> }} */ (proxyActivities({ startToCloseTimeout: "1 minute" }));

/** @param {number} steps */
export async function bare(steps) {
  for (let step = 0; step < steps; step++) await empty();
}
