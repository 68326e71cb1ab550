/**
 * Measures the cost of an export compared with reading: JSON with sorted keys, a checksum per line, and files that are
 * synced and read back. The other side reads run after run and drops the events.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { copyRuns } from "@runledger/runtime/transfer/copy-runs";
import { fileTarget } from "@runledger/runtime/transfer/file-target";
import { eventSource, newRunIds } from "../lib/events.mjs";
import { openStore } from "../lib/ledger.mjs";
import { alternate, compact, median } from "../lib/rounds.mjs";

const RUNS = 400;
const EVENTS = 100_000;

/** @type {import("../lib/suite.mjs").Suite} */
export default {
  name: "export",
  measure: "100,000 events of 400 runs exported to files, against reading the same runs and doing nothing with them",
  target: 0.5,
  reach: "at least",
  async run(all) {
    const bench = { ...all, rounds: Math.min(all.rounds, 3) };
    const store = await openStore(await bench.database("export"));
    const { take } = eventSource(newRunIds(RUNS));
    for (let stored = 0; stored < EVENTS; stored += 500) await store.appendEvents(take(500));
    const folder = mkdtempSync(join(tmpdir(), "runledger-bench-export-"));
    const { ratio, ours, other } = await alternate(bench, async (round) => ({
      ours: () => timed(() => exported(store, join(folder, String(round)))),
      other: () => timed(() => read(store)),
    }));
    rmSync(folder, { recursive: true });
    await store.close();
    return { ratio, details: [`exported ${rate(ours)}, read ${rate(other)}`] };
  },
};

/** @typedef {import("@runledger/store-postgres").PostgresStore} Store */

/** @param {Store} store @param {string} folder */
async function exported(store, folder) {
  let events = 0;
  const target = await fileTarget(folder);
  for await (const run of copyRuns(store, target)) events += run.events;
  await target[Symbol.asyncDispose]();
  return events;
}

/** Run by run, as every reader of the log does. @param {Store} store */
async function read(store) {
  let events = 0;
  for (const { runId } of await store.listHeads()) for await (const _ of store.streamEvents(runId)) events++;
  return events;
}

/** @param {() => Promise<number>} work */
async function timed(work) {
  const start = performance.now();
  const events = await work();
  if (events !== EVENTS) throw new Error(`${events} events, not ${EVENTS}.`);
  return { value: events / ((performance.now() - start) / 1000) };
}

/** @param {readonly { value: number }[]} rounds */
const rate = (rounds) => `${compact(median(rounds.map(({ value }) => value)))} events/s`;
