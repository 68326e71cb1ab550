/**
 * Measures the cost of a start over HTTP. Both sides start the same runs on the same database, for 64 callers of one ledger
 * and of one client. Over HTTP, caller and server are two processes: one sends requests with the published client; the other
 * authenticates and validates them, and then does the same work as the other side does in process. Caller, server and
 * database share the CPUs, so on two CPUs the ratio is that of the total CPU times.
 *
 * Concurrent starts share a commit in the ledger and a request in the client. The details also show the cost of separate
 * requests: the same 64 callers, each with its own client.
 */
import { RunledgerClient } from "@runledger/client";
import { connect } from "runledger";
import { describe, drive } from "../lib/callers.mjs";
import { startServe } from "../lib/cli.mjs";
import { alternate } from "../lib/rounds.mjs";
import { waiting } from "../lib/workflows.mjs";

const CALLERS = 64;
/** More than a round starts. */
const MOST = 100_000;

/** @type {import("../lib/suite.mjs").Suite} */
export default {
  name: "http-overhead",
  measure:
    "starts/s over HTTP by 64 callers of one client, server and caller in processes of their own, against ledger.start",
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
      const single = await measured(() => drive({ ...load, call: unshared(server) }));
      return {
        ratio,
        details: [
          inStarts("HTTP", ours),
          inStarts("in process", other),
          inStarts("HTTP, a client for each caller", [single]),
        ],
      };
    } finally {
      await server.stop();
      await ledger.close();
    }
  },
};

/**
 * The first time only warms up.
 * @template M
 * @param {() => Promise<M>} measure
 */
async function measured(measure) {
  await measure();
  return measure();
}

/** @param {{ url: string, token: string }} server */
function unshared(server) {
  const idle = Array.from({ length: CALLERS }, () => new RunledgerClient({ url: server.url, token: server.token }));
  return async () => {
    const client = /** @type {RunledgerClient} */ (idle.pop());
    const started = one(await client.startRun({ workflow: waiting.id }));
    idle.push(client);
    return started;
  };
}

/** @param {unknown} _run that was started */
const one = (_run) => 1;

/**
 * @param {string} who
 * @param {readonly import("../lib/callers.mjs").Throughput[]} rounds
 */
const inStarts = (who, rounds) => describe(who, rounds).replace("events/s", "starts/s");
