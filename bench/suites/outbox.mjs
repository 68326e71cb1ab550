import { setTimeout as sleep } from "node:timers/promises";
import { connect, inProcessBus } from "runledger";
import { drive } from "../lib/callers.mjs";
import { eventSource } from "../lib/events.mjs";
import { appender, leaseRuns, openStore } from "../lib/ledger.mjs";
import { eventsPerRound } from "../lib/raw.mjs";
import { alternate, compact, median } from "../lib/rounds.mjs";

const CALLERS = 64;

/** @type {import("../lib/suite.mjs").Suite} */
export default {
  name: "outbox",
  measure: "events/s from a backlog of 1,000 runs to the in-process bus, with the feed, against append-concurrent",
  target: 0.5,
  reach: "at least",
  async run(bench) {
    const delivering = await delivery(await bench.database("outbox"));
    const appending = await appends(await bench.database("outbox-appends"));
    try {
      const { ratio, ours, other } = await alternate(bench, async () => {
        await delivering.write(eventsPerRound(bench) / 2);
        const events = appending.take(eventsPerRound(bench));
        return {
          ours: delivering.deliver,
          other: () => drive({ callers: CALLERS, items: events, forMs: bench.roundMs, call: appending.append }),
        };
      });
      const about = (/** @type {string} */ who, /** @type {readonly { value: number }[]} */ rounds) =>
        `${who} ${compact(median(rounds.map(({ value }) => value)))} events/s`;
      return { ratio, details: [about("delivered", ours), about("appended", other)] };
    } finally {
      await delivering.close();
      await appending.close();
    }
  },
};

/** @param {string} url */
async function appends(url) {
  const store = await openStore(url);
  const fences = await leaseRuns(store, 1000);
  const { take } = eventSource([...fences.keys()]);
  return { take, append: appender(store, fences), close: () => store.close() };
}

/**
 * A ledger with a subscription. The outbox runs only while deliveries are measured, so it starts with everything to do.
 * @param {string} url
 */
async function delivery(url) {
  const { take, append, close } = await appends(url);
  const ledger = await connect(url);
  await ledger.subscriptions.put({ id: "bench", bus: { type: "here" }, from: "beginning" });
  const count = { received: 0, written: 1000 }; // the starts of the runs
  const here = inProcessBus(({ events }) => void (count.received += events.length));
  return {
    write: async (/** @type {number} */ events) => {
      count.written += (await drive({ callers: CALLERS, items: take(events), forMs: Infinity, call: append })).events;
    },
    deliver: async () => {
      const [before, began] = [count.received, performance.now()];
      const outbox = ledger.outbox({ buses: { here } });
      while (count.received < count.written) await sleep(2);
      const seconds = (performance.now() - began) / 1000;
      await outbox.stop();
      return { value: (count.received - before) / seconds };
    },
    close: async () => {
      await ledger.close();
      await close();
    },
  };
}
