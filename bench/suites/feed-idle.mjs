import { setTimeout as sleep } from "node:timers/promises";
import { newEvent } from "@runledger/contracts";
import { connect } from "runledger";
import { shareOf, startFollowers } from "../lib/child.mjs";
import { newRunIds } from "../lib/events.mjs";
import { withClient } from "../lib/server.mjs";
import { waiting } from "../lib/workflows.mjs";

const FINISHED = 100_000;
const WAITING = 10_000;
const PLAN = { planId: "nightly-orders", planVersion: "1.4.0" };

/** @type {import("../lib/suite.mjs").Suite} */
export default {
  name: "feed-idle",
  measure: "projector's and scheduler's share of a processor with 100,000 finished and 10,000 waiting runs",
  target: 0.02,
  reach: "at most",
  async run(bench) {
    const url = await bench.database("feed-idle");
    const ledger = await connect(url);
    await finishRuns(ledger);
    await startRuns(ledger);
    await ledger.schedules.put({ id: "yearly", workflow: waiting, cron: "0 0 1 1 *" });
    await ledger.close();
    bench.say(`${FINISHED} runs have finished, ${WAITING} wait`);
    const followers = await startFollowers(url, ["projector", "scheduler"]);
    try {
      await untilProjected(url);
      await sleep(2000);
      const share = await shareOf(followers, 10_000);
      return { ratio: share, details: [`${(100 * share).toFixed(2)} % of a processor`] };
    } finally {
      await followers.stop();
    }
  },
};

/** @param {import("runledger").Ledger} ledger */
async function finishRuns({ store }) {
  const runIds = newRunIds(FINISHED);
  for (let from = 0; from < FINISHED; from += 200) {
    const page = runIds.slice(from, from + 200);
    const events = page.flatMap((runId) =>
      ["RunStarted", "RunCompleted"].map((eventType) => newEvent({ ...PLAN, runId, eventType })),
    );
    await store.appendEvents(events);
  }
}

/**
 * They wait for a worker: for those who follow, that is what waiting for a signal is.
 * @param {import("runledger").Ledger} ledger
 */
async function startRuns(ledger) {
  let started = 0;
  const starter = async () => {
    while (started++ < WAITING) await ledger.start(waiting);
  };
  await Promise.all(Array.from({ length: 32 }, starter));
}

/** @param {string} url */
async function untilProjected(url) {
  const count = "SELECT count(*)::int AS runs FROM runledger.run_snapshots";
  await withClient(url, async (client) => {
    const projected = async () => /** @type {{ runs: number }[]} */ ((await client.query(count)).rows)[0]?.runs ?? 0;
    while ((await projected()) < FINISHED + WAITING) await sleep(500);
  });
}
