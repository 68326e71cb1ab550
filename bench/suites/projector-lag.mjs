import { setTimeout as sleep } from "node:timers/promises";
import { drive } from "../lib/callers.mjs";
import { startFollowers } from "../lib/child.mjs";
import { eventSource } from "../lib/events.mjs";
import { appender, leaseRuns, openStore } from "../lib/ledger.mjs";
import { eventsPerRound } from "../lib/raw.mjs";
import { compact, median, quantile } from "../lib/rounds.mjs";
import { withClient } from "../lib/server.mjs";

const CALLERS = 64;
const SHARE = 0.8;
/** Between two looks at whether an event shows, and between two events that are looked at. */
const LOOK_MS = 10;
const PROBE_MS = 50;

/** @type {import("../lib/suite.mjs").Suite} */
export default {
  name: "projector-lag",
  measure: "p99 in ms from an append's answer to its event in the projection, at 80% of append-concurrent; goal 250",
  target: 1000,
  reach: "at most",
  async run(bench) {
    const url = await bench.database("projector-lag");
    const store = await openStore(url);
    const fences = await leaseRuns(store, 1000);
    const { take } = eventSource([...fences.keys()]);
    const append = appender(store, fences);
    const full = await fullSpeed(bench, take, append);
    bench.say(`append-concurrent without a projector: ${compact(full)} events/s`);
    const projector = await startFollowers(url, ["projector"]);
    try {
      await untilCurrent(url);
      const forMs = Math.max(5000, bench.rounds * bench.roundMs);
      const load = { events: take(Math.ceil((SHARE * full * forMs) / 1000)), perSecond: SHARE * full, forMs };
      const before = await projector.usage();
      const { rate, lags } = await withProbes(url, store, load, append);
      const share = ((await projector.usage()).cpuMs - before.cpuMs) / forMs;
      const p99 = quantile(lags, 0.99);
      return {
        ratio: p99,
        details: [
          `${compact(rate)} of ${compact(load.perSecond)} events/s were appended meanwhile`,
          `p50 ${quantile(lags, 0.5).toFixed(0)} ms, p99 ${p99.toFixed(0)} ms, most ${Math.max(...lags).toFixed(0)} ms of ${lags.length} events`,
          `the projector took ${(100 * share).toFixed(0)} % of a processor`,
        ],
      };
    } finally {
      await projector.stop();
      await store.close();
    }
  },
};

/**
 * @typedef {import("@runledger/contracts").NewEvent} NewEvent
 * @typedef {(event: NewEvent) => Promise<number>} Append
 */

/**
 * @param {import("../lib/suite.mjs").Bench} bench
 * @param {(count: number) => NewEvent[]} take
 * @param {Append} append
 */
async function fullSpeed(bench, take, append) {
  /** @type {number[]} */
  const rates = [];
  for (let round = 0; round < 3; round++) {
    const items = take(eventsPerRound(bench));
    rates.push((await drive({ callers: CALLERS, items, forMs: bench.roundMs, call: append })).value);
  }
  return median(rates);
}

/** @param {string} url */
async function untilCurrent(url) {
  const behind = `
    SELECT count(*)::int AS behind FROM runledger.run_heads h LEFT JOIN runledger.run_snapshots s USING (run_id)
    WHERE h.head_seq > coalesce(s.last_event_seq, 0)`;
  await withClient(url, async (client) => {
    const left = async () => /** @type {{ behind: number }[]} */ ((await client.query(behind)).rows)[0]?.behind;
    while ((await left()) !== 0) await sleep(100);
  });
}

/**
 * Appends at a steady rate, and watches some of the events until they show.
 * @param {string} url
 * @param {import("@runledger/store-postgres").PostgresStore} store
 * @param {{ events: readonly NewEvent[], perSecond: number, forMs: number }} load
 * @param {Append} append
 */
async function withProbes(url, store, { events, perSecond, forMs }, append) {
  return withClient(url, async (client) => {
    const watch = watchEvents(client, store);
    let probedAt = 0;
    const began = performance.now();
    const { value: rate } = await drive({
      callers: CALLERS,
      items: events,
      forMs,
      call: async (event, index) => {
        const due = began + (index * 1000) / perSecond;
        if (due > performance.now()) await sleep(due - performance.now());
        const stored = await append(event);
        if (performance.now() - probedAt > PROBE_MS) {
          probedAt = performance.now();
          watch.add(event);
        }
        return stored;
      },
    });
    return { rate, lags: await watch.end() };
  });
}

const SHOWN = "SELECT run_id, last_event_seq FROM runledger.run_snapshots WHERE run_id = ANY ($1::text[])";

/**
 * One look for all events that do not show yet, so that looking costs next to nothing.
 * @param {import("../lib/driver.mjs").PgClient} client
 * @param {import("@runledger/store-postgres").PostgresStore} store
 */
function watchEvents(client, store) {
  /** @type {Set<{ runId: string, runSeq: number, answered: number }>} */
  const open = new Set();
  /** @type {Promise<unknown>[]} */
  const asked = [];
  /** @type {number[]} */
  const lags = [];
  const over = new AbortController();
  const look = async () => {
    const values = [[...open].map(({ runId }) => runId)];
    const { rows } = await client.query({ name: "shown", text: SHOWN, values, rowMode: "array" });
    const shown = new Map(/** @type {[string, string][]} */ (rows));
    for (const event of open) {
      if (Number(shown.get(event.runId) ?? 0) < event.runSeq) continue;
      open.delete(event);
      lags.push(performance.now() - event.answered);
    }
  };
  const looking = (async () => {
    for (; !over.signal.aborted || open.size > 0; await sleep(LOOK_MS)) if (open.size > 0) await look();
  })();
  return {
    /** @param {NewEvent} event that was just answered */
    add: ({ runId, idempotencyKey }) => {
      const answered = performance.now();
      const found = store.fetchByKeys(runId, [idempotencyKey]);
      asked.push(found.then(([stored]) => open.add({ runId, runSeq: stored?.runSeq ?? 0, answered })));
    },
    end: async () => {
      await Promise.all(asked);
      over.abort();
      await looking;
      return lags;
    },
  };
}
