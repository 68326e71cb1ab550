// @module-tag R-10
/** A worker's health and metrics, as a supervisor and Prometheus read them. */
import { expect, onTestFinished, test } from "vitest";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { runledger } from "@runledger/test-support/hosted-commands";
import { freshProject, startRunledger, type Running, type Where } from "@runledger/test-support/runledger-command";
import { freePort } from "@runledger/test-support/servers";
import { until } from "@runledger/test-support/until";

const workflows = `import { workflow } from "runledger";
import { z } from "zod";
const state = { schema: z.object({ text: z.string() }), initial: { text: "x".repeat(120_000) } };
export const heavy = workflow("heavy", { version: "1.0.0", state }, (w) => {
  const go = w.waitForSignal("go");
  w.step("after", { needs: { go } }, () => null);
});`;

async function project(settings = ""): Promise<Where> {
  const database = await freshDatabase();
  onTestFinished(() => database.drop());
  const config = `export default { workflows: ["./workflows.js"], ${settings} };`;
  const cwd = freshProject({ "runledger.config.js": config, "workflows.js": workflows });
  return { cwd, env: { RUNLEDGER_STORE: database.url } };
}

const addressOf = async (worker: Running): Promise<string> =>
  (await worker.says(/Health +http:\/\/127\.0\.0\.1:\d+/)).replace(/^Health +/, "");

const textOf = async (url: string): Promise<string> => (await fetch(url)).text();

test("a worker's checkpoints and alerts can be scraped", async () => {
  const where = await project();
  const worker = startRunledger(where, "worker", "--health-port", "0");
  const url = await addressOf(worker);
  await worker.says("Next ");
  const alive = await fetch(`${url}/healthz`);
  expect([alive.status, await alive.json()]).toEqual([200, { status: "alive" }]);
  expect(await runledger(where, "run", "heavy")).toMatchObject({ code: 0 });
  const alert = `runledger_alerts_total{code="CHECKPOINT_LARGE",severity="warning"} 1\n`;
  await until(async () => (await textOf(`${url}/metrics`)).includes(alert));
  await until(async () => (await textOf(`${url}/metrics`)).includes("runledger_checkpoints_total")); // it is saved next
  const metrics = await textOf(`${url}/metrics`);
  expect(metrics).toMatch(/^runledger_checkpoints_total 1$/m);
  expect(metrics).toMatch(/^runledger_checkpoint_bytes_count 1$/m);
  expect(metrics).toMatch(/^process_resident_memory_bytes \d+$/m);
  const { status, headers } = await fetch(`${url}/metrics`);
  expect([status, headers.get("content-type")]).toEqual([200, "text/plain; version=0.0.4; charset=utf-8"]);
  expect((await fetch(`${url}/runs`)).status).toBe(404);
  expect((await fetch(`${url}/metrics`, { method: "POST" })).status).toBe(404);
});

test("a worker that waits for its database is alive, and a port in use stops it", async () => {
  const port = String(await freePort());
  const where = { ...(await project()), env: { RUNLEDGER_STORE: "postgres://runledger@127.0.0.1:1/none" } };
  await startRunledger(where, "worker", "--health-port", port).says("Next attempt in");
  expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
  const second = startRunledger(where, "worker", "--health-port", port);
  await second.says(/LISTEN_FAILED +Cannot listen on 127\.0\.0\.1, port \d+: .*EADDRINUSE/);
  expect((await second.ended).code).not.toBe(0);
});

test("a worker listens on the port of the configuration, and on none without it", async () => {
  const configured = startRunledger(await project("health: { port: 0 }"), "worker");
  expect((await fetch(`${await addressOf(configured)}/healthz`)).status).toBe(200);
  const quiet = startRunledger(await project(), "worker");
  await quiet.says("Next ");
  expect(quiet.output).not.toContain("Health");
});
