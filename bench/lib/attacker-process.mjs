/**
 * A tenant that uses as much of a server as it gets, until it is killed: pages of large events, streams with many filters,
 * and starts. It does not wait after a refusal. Arguments: URL, API key, run.
 */
import { setTimeout as sleep } from "node:timers/promises";

const [url = "", key = "", runId = ""] = process.argv.slice(2);
const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
const PAUSE_MS = 5;

/**
 * @param {string} path
 * @param {RequestInit} [init]
 */
async function call(path, init) {
  const response = await fetch(`${url}/api/v1${path}`, { headers, ...init });
  await response.arrayBuffer();
  if (response.status === 429) await sleep(PAUSE_MS); // leaves the CPU to the server and to the other tenant
}

/** @param {() => Promise<unknown>} work */
async function forever(work) {
  for (;;) await work().catch(() => sleep(PAUSE_MS));
}

/** @param {number} n */
async function watch(n) {
  const lists = Object.fromEntries(
    Array.from({ length: 20 }, (_, i) => [`l${i}`, { filter: { workflow: `none-${n}-${i}` } }]),
  );
  const body = JSON.stringify({ runs: { [runId]: 0 }, lists });
  const response = await fetch(`${url}/api/v1/stream`, { method: "POST", headers, body });
  if (response.status !== 200) await sleep(1000);
  for await (const _ of response.body ?? []);
}

const starts = JSON.stringify({ starts: Array.from({ length: 100 }, () => ({ workflow: "bench-waiting" })) });
for (let n = 0; n < 16; n++) void forever(() => call(`/runs/${runId}/events?limit=1000`));
for (let n = 0; n < 4; n++) void forever(() => call("/runs/starts", { method: "POST", body: starts }));
for (let n = 0; n < 300; n++) void forever(() => watch(n));
process.stdout.write("attacking\n");
