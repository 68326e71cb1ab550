/** A run that waits holds nothing in a worker: no driver, and no byte that grows with the number of such runs. */
import { join } from "node:path";
import { workflow } from "runledger";
import { expect, test } from "vitest";
import { writeFiles, Running } from "../support/runledger-command.js";
import { WorkerProject } from "../support/worker-project.js";

const FEW = 500;
const MANY = 2000;
/** What each run would hold, if anybody held it: the output of its first step. */
const BYTES = 10_000;

const waiting = workflow("waiting", { version: "1" }, (w) => {
  const big = w.step("big", () => "x".repeat(BYTES));
  const go = w.waitForSignal("go", { after: [big] });
  return w.step("end", { needs: { big }, after: [go] }, ({ needs }) => needs.big.length);
});
const WORKFLOWS = `import { workflow } from "runledger";
export const waiting = workflow("waiting", { version: "1" }, (w) => {
  const big = w.step("big", () => "x".repeat(${BYTES}));
  const go = w.waitForSignal("go", { after: [big] });
  return w.step("end", { needs: { big }, after: [go] }, ({ needs }) => needs.big.length);
});`;

/** A worker that says what it holds whenever it is asked. */
const WORKER = `import { connect } from "runledger";
import { waiting } from "./workflows.mjs";
const ledger = await connect();
const worker = await ledger.worker({ workflows: [waiting], pollMs: 20 });
let asked = 0;
process.on("SIGUSR2", async () => {
  for (let times = 0; times < 4; times++) await new Promise((resolve) => setTimeout(resolve, 50, gc()));
  console.log(JSON.stringify({ driving: worker.driving, heap: process.memoryUsage().heapUsed, asked: ++asked }));
});
console.log("ready");`;

interface Holding {
  readonly driving: number;
  readonly heap: number;
}

async function ask(worker: Running, times: number): Promise<Holding> {
  worker.kill("SIGUSR2");
  return JSON.parse(await worker.says(new RegExp(`{.*"asked":${times}}`))) as Holding;
}

async function startUntil({ ledger, query }: WorkerProject, total: number): Promise<void> {
  for (;;) {
    const [{ started, resting }] = (await query(
      `SELECT count(*)::int AS started, count(*) FILTER (WHERE owner IS NULL AND available_at = 'infinity')::int AS resting
       FROM runledger.run_queue`,
    )) as unknown as [{ started: number; resting: number }];
    if (resting === total) return;
    const missing = Math.min(50, total - started);
    await Promise.all(Array.from({ length: missing }, () => ledger.start(waiting)));
    if (missing === 0) await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

test(`[E-20] ${MANY} waiting runs: the worker drives none and holds nothing of them; a signal still ends one`, async () => {
  const project = await WorkerProject.create(WORKFLOWS);
  writeFiles(project.where.cwd, { "watched.mjs": WORKER });
  const worker = new Running(project.where, ["--expose-gc", join(project.where.cwd, "watched.mjs")]);
  await worker.says("ready");
  await startUntil(project, FEW);
  const few = await ask(worker, 1);
  await startUntil(project, MANY);
  const many = await ask(worker, 2);
  const perRun = Math.round((many.heap - few.heap) / (MANY - FEW));
  console.log(`${FEW} waiting runs: ${few.heap} bytes; ${MANY}: ${many.heap}; ${perRun} bytes per run`);
  expect([few.driving, many.driving]).toEqual([0, 0]);
  expect(perRun).toBeLessThan(BYTES / 5);

  const [last] = await project.query<{ run_id: string }>("SELECT max(run_id) AS run_id FROM runledger.run_queue");
  await project.ledger.signal(last!.run_id, "go", {});
  const run = await project.ledger.get(waiting, last!.run_id);
  expect(await run.result()).toBe(BYTES);
});
