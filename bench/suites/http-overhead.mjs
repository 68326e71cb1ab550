/**
 * What a start costs whoever has no store of their own. Both sides start the same runs on the same database, each start in a
 * transaction of its own. Over HTTP the caller and the server are two processes, as in life: one writes a request and
 * reads its answer with the client that we publish, the other asks who calls, checks what was sent, and does what the other
 * side of the comparison does in process. Caller, server and database share the machine's processors, so that on two of them
 * the ratio is that of the processor times that a start takes in all.
 */
import { RunledgerClient } from "@runledger/client";
import { connect } from "runledger";
import { describe, drive } from "../lib/callers.mjs";
import { startServe } from "../lib/cli.mjs";
import { alternate } from "../lib/rounds.mjs";
import { waiting } from "../lib/workflows.mjs";

const CALLERS = 64;
/** More than anybody starts in a round. */
const MOST = 100_000;

/** @type {import("../lib/suite.mjs").Suite} */
export default {
  name: "http-overhead",
  measure: "starts/s over HTTP, server and caller in processes of their own, against ledger.start, 64 callers",
  target: 0.5,
  reach: "at least",
  async run(bench) {
    const url = await bench.database("http-overhead");
    const ledger = await connect(url);
    const server = await startServe(url);
    const client = new RunledgerClient({ url: server.url, token: server.token });
    const items = Array.from({ length: MOST }, (_, n) => n);
    const load = { callers: CALLERS, items, forMs: bench.roundMs };
    try {
      const { ratio, ours, other } = await alternate(bench, async () => ({
        ours: () => drive({ ...load, call: async () => one(await client.startRun({ workflow: waiting.id })) }),
        other: () => drive({ ...load, call: async () => one(await ledger.start(waiting)) }),
      }));
      return { ratio, details: [inStarts("HTTP", ours), inStarts("in process", other)] };
    } finally {
      await server.stop();
      await ledger.close();
    }
  },
};

/** @param {unknown} _run that was started */
const one = (_run) => 1;

/**
 * @param {string} who
 * @param {readonly import("../lib/callers.mjs").Throughput[]} rounds
 */
const inStarts = (who, rounds) => describe(who, rounds).replace("events/s", "starts/s");
