import { DynamoStore } from "@runledger/store-dynamodb";
import { describe, drive } from "../lib/callers.mjs";
import { onDynamoDb, openRawTable } from "../lib/dynamodb.mjs";
import { eventSource, newRunIds } from "../lib/events.mjs";
import { alternate } from "../lib/rounds.mjs";

/** The numbers of transactions in flight among which the best is taken. */
const IN_FLIGHT = [4, 8, 16, 32, 64];
/** More than either side can store in a round. */
const EVENTS = 20_000;

/** @type {import("../lib/suite.mjs").Suite} */
export default {
  name: "dynamodb-append",
  measure: "64 callers, one event each, against one raw TransactWriteItems per event at its best concurrency",
  target: 2,
  reach: "at least",
  run: (bench) => onDynamoDb((endpoint) => measure(bench, endpoint)),
};

/**
 * The callers append to one run: events of several runs never share a transaction.
 * @param {import("../lib/suite.mjs").Bench} bench
 * @param {string} endpoint
 */
async function measure(bench, endpoint) {
  const store = await DynamoStore.open({ url: `dynamodb://local/bench?endpoint=${encodeURIComponent(endpoint)}` });
  const raw = await openRawTable(endpoint);
  const { take } = eventSource(newRunIds(1));
  const appendOne = async (/** @type {import("@runledger/contracts").NewEvent} */ event) =>
    (await store.appendEvents([event])).length;
  const insert = (/** @type {number} */ callers) =>
    drive({ callers, items: take(EVENTS), forMs: bench.roundMs, call: raw.insertOne });
  try {
    const callers = await bestOf(insert);
    bench.say(`raw is fastest with ${callers} in flight`);
    const { ratio, ours, other } = await alternate(bench, async () => ({
      ours: () => drive({ callers: 64, items: take(EVENTS), forMs: bench.roundMs, call: appendOne }),
      other: () => insert(callers),
    }));
    return { ratio, details: [describe("ours", ours), describe(`raw (${callers} in flight)`, other)] };
  } finally {
    await store.close();
    raw.close();
  }
}

/** @param {(callers: number) => Promise<{ value: number }>} insert */
async function bestOf(insert) {
  await insert(16); // warms up
  let best = { callers: 0, value: 0 };
  for (const callers of IN_FLIGHT) {
    const { value } = await insert(callers);
    if (value > best.value) best = { callers, value };
  }
  return best.callers;
}
