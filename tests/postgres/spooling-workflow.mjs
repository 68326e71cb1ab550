// The workflow of the tests that kill a worker while its spool has records. The second attempt of `work` starts alone.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { workflow } from "runledger";

/**
 * After a shorter delay, a busy worker would record the failure and the next start in one append.
 * @type {import("runledger").Retry}
 */
const retry = { attempts: 5, delay: "500ms", maxDelay: "500ms" };

/**
 * The attempt writes a file, so that a test sees it. Where `stays` is `true`, it never ends, and neither does `keeper`.
 * @param {string} folder
 * @param {boolean} stays
 */
export function spooling(folder, stays) {
  const never = () => (stays ? new Promise(() => {}) : 0);
  return workflow("spooling", { version: "1" }, (w) => {
    w.step("keeper", { retry }, never);
    return w.step("work", { retry }, ({ runId, attempt }) => {
      if (attempt === 1) throw new Error("The first attempt fails.");
      if (stays) writeFileSync(join(folder, `executed-${runId}`), "");
      return never();
    });
  });
}
