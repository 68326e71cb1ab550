/**
 * What a start costs whoever has no store of their own. Both sides start the same runs on the same database, for 64 callers
 * of one ledger and of one client. Over HTTP, caller and server are two processes, as in life: one sends requests with the
 * client that we publish; the other asks who calls, checks what was sent, and does what the other side of the comparison
 * does in process. Caller, server and database share the machine's processors, so that on two of them the ratio is that of
 * the processor times that a start takes in all.
 *
 * Starts of one moment share a commit in the ledger, and a request in the client. What a request of its own costs is said
 * beside it: the same 64 callers, each with a client that it shares with nobody.
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
