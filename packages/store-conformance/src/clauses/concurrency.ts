import assert from "node:assert/strict";
import { clause, type Fixture } from "../clause.js";
import { checkHistory } from "../history/check-history.js";
import { snapshotReplay } from "../history/snapshot-replay.js";
import { runWorkload } from "../history/workload.js";

async function assertClean({ store, another }: Fixture, seed: number): Promise<void> {
  const handles = [store, await another()];
  const history = await runWorkload(handles, { seed });
  const { violations } = checkHistory(history, { contiguous: store.capabilities.contiguous, replay: snapshotReplay });
  const messages = violations.map(({ invariant, runId, message }) => `${invariant} in ${runId}: ${message}`);
  assert.equal(violations.length, 0, `seed ${seed}:\n${messages.slice(0, 10).join("\n")}`);
}

/** Conflicting clients, judged by `checkHistory`. */
export const concurrency = clause(
  "concurrency",
  [],
  Object.fromEntries(
    [1, 2, 3].map((seed) => [
      `P1 P2 K5 F6: four clients on hot runs leave a clean history (seed ${seed})`,
      (fixture) => assertClean(fixture, seed),
    ]),
  ),
);
