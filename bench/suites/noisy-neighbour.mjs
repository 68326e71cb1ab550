/**
 * Measures how much one tenant can slow down another. The quiet tenant lists, reads and starts runs at a fixed rate; its
 * latencies count from the time at which a request was due, so that a stalled server is not measured less often. In turn, the
 * other tenant does nothing, or attacks from its own process with an API key and the default limits.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { newEvent } from "@runledger/contracts";
import { RunledgerClient } from "@runledger/client";
import { createApiKey } from "@runledger/server/setup";
import { startServe } from "../lib/cli.mjs";
import { newRunId } from "../lib/events.mjs";
import { openStore } from "../lib/ledger.mjs";
import { quantile } from "../lib/rounds.mjs";
import { waiting } from "../lib/workflows.mjs";

const ATTACKER = fileURLToPath(new URL("../lib/attacker-process.mjs", import.meta.url));
const APART_MS = 20;
const PART_MS = 8000;
const ROUNDS = 2;

/** @type {import("../lib/suite.mjs").Suite} */
export default {
  name: "noisy-neighbour",
  measure:
    "p99 of a tenant's requests while another tenant attacks with pages, streams and starts, against its quiet p99",
  target: 5,
  reach: "at most",
  async run(bench) {
    const url = await bench.database("noisy-neighbour");
    const store = await openStore(url);
    const server = await startServe(url);
    const client = new RunledgerClient({ url: server.url, token: await keyOf(store, "quiet"), attempts: 1 });
    const attack = [server.url, await keyOf(store, "noisy"), await largeRun(store)];
    /** @type {{ quiet: number[], attacked: number[] }} */
    const all = { quiet: [], attacked: [] };
    try {
      await load(client, 2000); // warms up
      for (let round = 0; round < ROUNDS; round++) {
        all.quiet.push(...(await load(client, PART_MS)));
        all.attacked.push(...(await whileAttacked(attack, () => load(client, PART_MS))));
        bench.say(`round ${round + 1}: ${describe("attacked", all.attacked)}; ${describe("quiet", all.quiet)}`);
      }
      const ratio = quantile(all.attacked, 0.99) / quantile(all.quiet, 0.99);
      return { ratio, details: [describe("attacked", all.attacked), describe("quiet", all.quiet)] };
    } finally {
      await server.stop();
      await store.close();
    }
  },
};

/**
 * @param {import("@runledger/store-postgres").PostgresStore} store
 * @param {string} tenantId
 */
async function keyOf({ access }, tenantId) {
  const params = { name: tenantId, tenantId, role: "operator", ttlMs: null, createdBy: "bench" };
  return (await createApiKey(access, /** @type {Parameters<typeof createApiKey>[1]} */ (params))).text;
}

/**
 * A run whose log has 100 MB.
 * @param {import("@runledger/store-postgres").PostgresStore} store
 */
async function largeRun(store) {
  const runId = newRunId();
  const output = "x".repeat(100_000);
  for (let from = 0; from < 1000; from += 20)
    await store.forTenant("noisy").appendEvents(
      Array.from({ length: 20 }, (_, n) => {
        const stepId = `s${from + n}`;
        return newEvent({ runId, planVersion: "1", eventType: "StepCompleted", stepId, eventData: { output } });
      }),
    );
  return runId;
}

/**
 * Sends requests at a fixed rate.
 * @param {RunledgerClient} client
 * @param {number} forMs
 * @returns {Promise<number[]>} milliseconds
 */
async function load(client, forMs) {
  const start = performance.now();
  const calls = [
    () => client.listRuns({ limit: 20 }),
    () => client.getMe(),
    () => client.startRun({ workflow: waiting.id }),
  ];
  const sent = Array.from({ length: Math.floor(forMs / APART_MS) }, async (_, n) => {
    const due = start + n * APART_MS;
    await sleep(Math.max(0, due - performance.now()));
    await calls[n % calls.length]?.();
    return performance.now() - due;
  });
  return Promise.all(sent);
}

/**
 * @template T
 * @param {readonly string[]} args
 * @param {() => Promise<T>} work
 */
async function whileAttacked(args, work) {
  const child = spawn(process.execPath, [ATTACKER, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  try {
    return await work();
  } finally {
    child.kill("SIGKILL");
    await once(child, "exit");
  }
}

/**
 * @param {string} who
 * @param {readonly number[]} ms
 */
function describe(who, ms) {
  return `${who}: p50 ${quantile(ms, 0.5).toFixed(1)} ms, p99 ${quantile(ms, 0.99).toFixed(1)} ms of ${ms.length} requests`;
}
