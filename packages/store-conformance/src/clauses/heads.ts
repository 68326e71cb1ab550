import assert from "node:assert/strict";
import type { RunHead, StateStore } from "@runledger/contracts";
import { clause } from "../clause.js";
import { logOf, stepOf, stepsOf } from "../support/events.js";
import { refusedInput } from "../support/refused.js";

const ids = (heads: readonly RunHead[]): string[] => heads.map((head) => head.runId);

async function allPages(store: StateStore, limit: number): Promise<string[]> {
  const seen: string[] = [];
  for (let page = 0; page < 100; page++) {
    const heads = await store.listHeads({ limit, ...(seen.length > 0 ? { afterRunId: seen.at(-1)! } : {}) });
    if (heads.length === 0) return seen;
    seen.push(...ids(heads));
  }
  assert.fail(`after 100 pages of ${limit} there were still more heads`);
}

/** P2: the row that every append of a run locks and advances. */
export const heads = clause("heads", [], {
  "P2: a head has the run's last seq, its tenant and its lease": async ({ store }) => {
    await store.appendEvents(stepsOf("run-1", 3));
    const [head] = await store.fetchHeads(["run-1"]);
    const last = (await logOf(store, "run-1")).at(-1)!;
    assert.deepEqual(head, {
      runId: "run-1",
      tenantId: "default",
      headSeq: 3,
      leaseEpoch: 0,
      leaseOwner: null,
      persistedAt: last.persistedAt,
      archived: false,
    });
  },

  "P2: it moves with every append, and not with a duplicate": async ({ store }) => {
    const [first, second] = stepsOf("run-1", 2);
    await store.appendEvent(first!);
    await store.appendEvent(second!);
    const [before] = await store.fetchHeads(["run-1"]);
    await store.appendEvents([first!, second!]);
    assert.equal(before?.headSeq, 2);
    assert.deepEqual(await store.fetchHeads(["run-1"]), [before]);
  },

  "heads come ascending by id, unknown ones are left out, one asked twice comes once": async ({ store }) => {
    await store.appendEvents(["c", "a", "b"].map((runId) => stepOf(runId, "s1")));
    assert.deepEqual(ids(await store.fetchHeads(["b", "absent", "a", "b"])), ["a", "b"]);
    assert.deepEqual(await store.fetchHeads([]), []);
  },

  "listing pages through every run once, ascending": async ({ store }) => {
    const runIds = Array.from({ length: 23 }, (_, index) => `run-${String(index).padStart(2, "0")}`);
    await store.appendEvents(runIds.toReversed().map((runId) => stepOf(runId, "s1")));
    assert.deepEqual(ids(await store.listHeads()), runIds);
    assert.deepEqual(ids(await store.listHeads({ limit: 4 })), runIds.slice(0, 4));
    assert.deepEqual(ids(await store.listHeads({ afterRunId: "run-20" })), ["run-21", "run-22"]);
    assert.deepEqual(ids(await store.listHeads({ afterRunId: "run-1", limit: 2 })), ["run-10", "run-11"]);
    assert.deepEqual(await allPages(store, 5), runIds);
  },

  "paging sees each id once, in any order of scripts": async ({ store }) => {
    const runIds = ["Z", "a", "é", "e\u0301", "ß", "日", "\uffee", "🜁", "🜂x", "A b", "a'b", "10", "9", "~"];
    await store.appendEvents(runIds.map((runId) => stepOf(runId, "s1")));
    const seen = await allPages(store, 3);
    assert.deepEqual(seen.toSorted(), runIds.toSorted());
    assert.deepEqual(ids(await store.fetchHeads(runIds)), seen);
  },

  "an invalid limit is refused": async ({ store }) => {
    for (const limit of [0, -5, 0.5, Number.NaN])
      await refusedInput(store.listHeads({ limit }), "OPTION_INVALID", "limit");
  },
});
