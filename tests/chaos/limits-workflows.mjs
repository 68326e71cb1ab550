// Workflows of the limits' chaos test: a step, a wait without a slot, and a step.
import { setTimeout as sleep } from "node:timers/promises";
import { workflow } from "runledger";

/** @param {string} id */
const busy = (id) =>
  workflow(id, { version: "1" }, (w) => {
    const first = w.step("first", () => sleep(15, "done"));
    const pause = w.sleep("pause", { after: [first], for: "30ms" });
    return w.step("second", { after: [pause] }, () => sleep(15, "done"));
  });

export const busyWorkflows = [busy("orders"), busy("reports")];
