import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { connect } from "runledger";
import { drive } from "../lib/callers.mjs";
import { startFollowers } from "../lib/child.mjs";
import { eventSource } from "../lib/events.mjs";
import { appender, leaseRuns, openStore } from "../lib/ledger.mjs";
import { compact, quantile } from "../lib/rounds.mjs";

const CALLERS = 64;
const SHARE = 0.5;
/** Events that are delivered to find out how many a second are the most. */
const BACKLOG = 5000;

/** @type {import("../lib/suite.mjs").Suite} */
export default {
  name: "outbox-lag",
  measure:
    "p99 in ms from an append's answer to its event at a webhook on loopback, one per request, at 50% of the most",
  target: 500,
  reach: "at most",
  async run(bench) {
    const url = await bench.database("outbox-lag");
    const store = await openStore(url);
    const fences = await leaseRuns(store, 1000);
    const { take } = eventSource([...fences.keys()]);
    const append = appender(store, fences);
    const hook = await receive();
    await subscribe(url, hook.url);
    const outbox = await startFollowers(url, ["outbox"]);
    try {
      await until(() => hook.arrived.size === 1000); // the starts of the runs
      const full = await fullSpeed(take, append, hook.arrived);
      bench.say(`${compact(full)} events/s from a backlog`);
      const forMs = Math.max(5000, bench.rounds * bench.roundMs);
      const events = take(Math.ceil((SHARE * full * forMs) / 1000));
      const { rate, lags } = await underLoad({ events, perSecond: SHARE * full, append, arrived: hook.arrived });
      const p99 = quantile(lags, 0.99);
      return {
        ratio: p99,
        details: [
          `${compact(rate)} events/s were appended; from a backlog the webhook received ${compact(full)} events/s`,
          `p50 ${quantile(lags, 0.5).toFixed(0)} ms, p99 ${p99.toFixed(0)} ms, most ${Math.max(...lags).toFixed(0)} ms of ${lags.length} events`,
        ],
      };
    } finally {
      await outbox.stop();
      await hook.close();
      await store.close();
    }
  },
};

/**
 * @typedef {import("@runledger/contracts").NewEvent} NewEvent
 * @typedef {(event: NewEvent) => Promise<number>} Append
 * @typedef {Map<string, number>} Arrived by event id, the time of its arrival
 */

/**
 * @param {string} url
 * @param {string} hook
 */
async function subscribe(url, hook) {
  const ledger = await connect(url);
  await ledger.subscriptions.put({ id: "bench", bus: { type: "webhook", url: hook }, from: "beginning" });
  await ledger.close();
}

async function receive() {
  /** @type {Arrived} */
  const arrived = new Map();
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8");
    request.on("data", (text) => (body += text));
    request.on("end", () => {
      const { id } = /** @type {{ id: string }} */ (JSON.parse(body));
      if (!arrived.has(id)) arrived.set(id, performance.now());
      response.writeHead(204).end();
    });
  });
  await new Promise((resolve) => void server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${port}/`,
    arrived,
    close: () => new Promise((resolve) => (server.close(resolve), server.closeAllConnections())),
  };
}

/** @param {() => boolean} isDone */
async function until(isDone) {
  while (!isDone()) await sleep(5);
}

/**
 * @param {(count: number) => NewEvent[]} take
 * @param {Append} append
 * @param {Arrived} arrived
 */
async function fullSpeed(take, append, arrived) {
  const before = arrived.size;
  const began = performance.now();
  await drive({ callers: CALLERS, items: take(BACKLOG), forMs: Infinity, call: append });
  await until(() => arrived.size - before === BACKLOG);
  return (1000 * BACKLOG) / (performance.now() - began);
}

/**
 * Appends at a steady rate.
 * @param {{ events: readonly NewEvent[], perSecond: number, append: Append, arrived: Arrived }} load
 */
async function underLoad({ events, perSecond, append, arrived }) {
  /** @type {Map<string, number>} */
  const answered = new Map();
  const began = performance.now();
  const { value: rate } = await drive({
    callers: CALLERS,
    items: events,
    forMs: Infinity,
    call: async (event, index) => {
      const due = began + (index * 1000) / perSecond;
      if (due > performance.now()) await sleep(due - performance.now());
      const stored = await append(event);
      answered.set(event.eventId, performance.now());
      return stored;
    },
  });
  const lags = () => [...answered].map(([id, at]) => (arrived.get(id) ?? NaN) - at);
  await until(() => events.every(({ eventId }) => arrived.has(eventId)));
  return { rate, lags: lags().map((lag) => Math.max(0, lag)) };
}
