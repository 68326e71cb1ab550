import { once } from "node:events";
import { get } from "node:http";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { startServe } from "../lib/cli.mjs";
import { newRunId, stepCompleted } from "../lib/events.mjs";
import { openStore } from "../lib/ledger.mjs";
import { quantile } from "../lib/rounds.mjs";

const VIEWERS = 200;
const APART_MS = 50;

/** @type {import("../lib/suite.mjs").Suite} */
export default {
  name: "http-append-sse",
  measure: "p99 in ms from an append's answer to its event at each of 200 viewers of the run, over HTTP",
  target: 250,
  reach: "at most",
  async run(bench) {
    const url = await bench.database("http-append-sse");
    const store = await openStore(url);
    const server = await startServe(url);
    const runId = newRunId();
    await store.appendEvents([stepCompleted(runId, 0)]);
    const viewers = await Promise.all(Array.from({ length: VIEWERS }, () => view(server, runId)));
    bench.say(`${VIEWERS} viewers watch`);
    try {
      const answered = await appendSteadily(store, runId, Math.max(5000, bench.rounds * bench.roundMs));
      const last = Math.max(...answered.keys());
      await Promise.all(viewers.map((viewer) => viewer.until(last)));
      const lags = viewers.flatMap(({ seen }) =>
        [...answered].map(([seq, at]) => Math.max(0, (seen.get(seq) ?? Infinity) - at)),
      );
      const [p50, p99] = [quantile(lags, 0.5), quantile(lags, 0.99)];
      const about = `p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms, most ${Math.max(...lags).toFixed(0)} ms`;
      return { ratio: p99, details: [`${about}: ${answered.size} events, each at ${VIEWERS} viewers`] };
    } finally {
      for (const viewer of viewers) viewer.leave();
      await server.stop();
      await store.close();
    }
  },
};

/**
 * @param {import("@runledger/store-postgres").PostgresStore} store
 * @param {string} runId
 * @param {number} forMs
 * @returns {Promise<Map<number, number>>} when each event was answered, by its number
 */
async function appendSteadily(store, runId, forMs) {
  const answered = new Map();
  for (let n = 1; n * APART_MS < forMs; n++) {
    const { runSeq } = await store.appendEvent(stepCompleted(runId, n));
    answered.set(runSeq, performance.now());
    await sleep(APART_MS);
  }
  return answered;
}

/**
 * One who watches: notes when each event came.
 * @param {import("../lib/cli.mjs").ServeProcess} server
 * @param {string} runId
 */
async function view({ url, token }, runId) {
  const headers = { authorization: `Bearer ${token}`, accept: "text/event-stream" };
  const request = get(`${url}/api/v1/runs/${runId}/stream`, { headers, agent: false });
  const [response] = /** @type {[import("node:http").IncomingMessage]} */ (await once(request, "response"));
  if (response.statusCode !== 200) throw new Error(`The stream answers ${response.statusCode}.`);
  /** @type {Map<number, number>} */
  const seen = new Map();
  const lines = createInterface({ input: response });
  lines.on("error", () => {}); // closing a viewer breaks the connection
  lines.on("line", (line) => {
    if (line.startsWith("id:")) seen.set(Number(line.slice(3)), performance.now());
  });
  return {
    seen,
    /** @param {number} seq */
    until: async (seq) => {
      while (!seen.has(seq)) {
        if (response.destroyed) throw new Error("A viewer was cut off.");
        await sleep(10);
      }
    },
    leave: () => void request.destroy(),
  };
}
