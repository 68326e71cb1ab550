import assert from "node:assert/strict";
import { sha256Hex, type RunStart } from "@runledger/contracts";
import { clause } from "../clause.js";
import { eventOf, logOf, placesOf, stepsOf } from "../support/events.js";

function forkOf(runId: string, request: string): RunStart {
  const key = { startKey: sha256Hex(request), inputHash: "x" };
  const place = { tenantId: "acme", logFormat: 1, priority: 0 };
  return { event: eventOf(runId, "RunQueued"), kept: stepsOf(runId, 3), ...key, ...place };
}

/** Q1, D7: a fork is stored with everything it keeps, or not at all. */
export const forkedStarts = clause("forked-starts", ["queue", "leases", "feed"], {
  "Q1: what a fork keeps is on record right behind its first event, in its tenant, and told": async ({ store }) => {
    const { limited: _, ...started } = await store.queue.startRun(forkOf("r1", "a"));
    assert.deepEqual(started, { runId: "r1", created: true, inputHash: "x" });
    const places = placesOf(await logOf(store.forTenant("acme"), "r1"));
    assert.deepEqual(places, [
      [1, "RunQueued"],
      [2, "s1"],
      [3, "s2"],
      [4, "s3"],
    ]);
    assert.equal((await store.fetchHeads(["r1"]))[0]?.headSeq, 4);
    assert.deepEqual(await store.forTenant("other").fetchEvents("r1"), []);
    const { changes } = await store.feed.readChanges(await store.feed.openFollower("f"));
    assert.equal(Math.max(...changes.map(({ headSeq }) => headSeq)), 4);
    await store.leases.heartbeat({ workerId: "w1", ttlMs: 60_000 });
    const plans = [{ planId: "", planVersion: "1.0.0" }];
    const { runs } = await store.queue.claimRuns({ workerId: "w1", plans, logFormat: 1, limit: 9 });
    assert.deepEqual(
      runs.map(({ runId, headSeq }) => [runId, headSeq]),
      [["r1", 4]],
    );
  },

  "Q1: the same request is one fork, also at once": async ({ store, another }) => {
    const handles = [store, await another()];
    const ids = Array.from({ length: 6 }, (_, index) => `r${index}`);
    const started = await Promise.all(ids.map((id, index) => handles[index % 2]!.queue!.startRun(forkOf(id, "a"))));
    assert.equal(started.filter(({ created }) => created).length, 1);
    assert.equal(new Set(started.map(({ runId }) => runId)).size, 1);
    assert.deepEqual(
      (await store.listHeads()).map(({ headSeq }) => headSeq),
      [4],
    );
  },

  "P1: a fork with a bad event is not there at all": async ({ store }) => {
    const fork = forkOf("r1", "a");
    const bad = { ...fork, kept: [...fork.kept!, { ...fork.kept![0]!, idempotencyKey: "0".repeat(64) }] };
    await assert.rejects(store.queue.startRun(bad));
    assert.deepEqual(await store.listHeads(), []);
    assert.equal((await store.queue.startRun(fork)).created, true);
  },
});
