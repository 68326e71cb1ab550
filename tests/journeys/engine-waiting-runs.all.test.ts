// @module-tag E-20
/** A waiting run holds nothing in a worker: no driver, and no memory that grows with the number of such runs. */
import { join } from "node:path";
import { workflow } from "runledger";
import { expect, test } from "vitest";
import { writeFiles, Running } from "@runledger/test-support/runledger-command";
import { WorkerProject } from "@runledger/test-support/worker-project";

const FEW = 500;
const MANY = 2000;
/** Size of the first step's output, which a worker must not keep in memory. */
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

/** A worker that prints its drivers and heap size on SIGUSR2. */
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

async function measure(worker: Running, times: number): Promise<Holding> {
  worker.kill("SIGUSR2");
  return JSON.parse(await worker.says(new RegExp(`{.*"asked":${times}}`))) as Holding;
}

async function startUntil({ ledger, query }: WorkerProject, total: number): Promise<void> {
  for (;;) {
    const [{ started, parked }] = (await query(
      `SELECT count(*)::int AS started, count(*) FILTER (WHERE owner IS NULL AND available_at = 'infinity')::int AS parked
       FROM runledger.run_queue`,
    )) as unknown as [{ started: number; parked: number }];
    if (parked === total) return;
    const missing = Math.min(50, total - started);
    await Promise.all(Array.from({ length: missing }, () => ledger.start(waiting)));
    if (missing === 0) await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

test(`a worker holds no memory of ${MANY} waiting runs, and a signal still finishes one`, async () => {
  const project = await WorkerProject.create(WORKFLOWS);
  writeFiles(project.where.cwd, { "watched.mjs": WORKER });
  const worker = new Running(project.where, ["--expose-gc", join(project.where.cwd, "watched.mjs")]);
  await worker.says("ready");
  await startUntil(project, FEW);
  const few = await measure(worker, 1);
  await startUntil(project, MANY);
  const many = await measure(worker, 2);
  const perRun = Math.round((many.heap - few.heap) / (MANY - FEW));
  console.log(`${FEW} waiting runs: ${few.heap} bytes; ${MANY}: ${many.heap}; ${perRun} bytes per run`);
  expect([few.driving, many.driving]).toEqual([0, 0]);
  expect(perRun).toBeLessThan(BYTES / 5);

  const [last] = await project.query<{ run_id: string }>("SELECT max(run_id) AS run_id FROM runledger.run_queue");
  await project.ledger.signal(last!.run_id, "go", {});
  const run = await project.ledger.get(waiting, last!.run_id);
  expect(await run.result()).toBe(BYTES);
});
