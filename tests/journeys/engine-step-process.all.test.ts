// @module-tag R-43
/** Errors of a step that its result does not show, in real worker processes. */
import { expect, test } from "vitest";
import { WorkerProject } from "@runledger/test-support/worker-project";

const WORKFLOWS = `import { setTimeout as sleep } from "node:timers/promises";
import { workflow } from "runledger";
const one = (name, code) => workflow(name, { version: "1" }, (w) => w.step("careless", code));
export const rejects = one("rejects", async () => {
  void sleep(1).then(() => { throw new Error("not awaited"); });
  await sleep(60_000);
});
export const tooLate = one("tooLate", async () => {
  void sleep(300).then(() => { throw new Error("after the step"); });
  return "done";
});
export const exits = one("exits", async () => { await sleep(1); process.exit(3); });
export const throws = one("throws", async () => {
  setTimeout(() => { throw new Error("in a callback"); }, 1);
  await sleep(60_000);
});`;

async function ended(project: WorkerProject, runId: string): Promise<unknown> {
  const read = () => project.ledger.store.projectSnapshot(runId);
  await expect.poll(async () => (await read())?.status).toMatch(/COMPLETED|FAILED/);
  return read();
}

test("a step that leaves a rejection unhandled fails, and its worker continues", async () => {
  const project = await WorkerProject.create(WORKFLOWS);
  const worker = await project.worker(10_000);
  const [runId] = await project.start("rejects");
  expect(await ended(project, runId!)).toMatchObject({
    status: "FAILED",
    error: {
      code: "UNHANDLED_REJECTION",
      message: `Step careless of run ${runId} (attempt 1) left a rejected promise unhandled: not awaited. Await it or catch its error.`,
    },
  });
  await worker.says(`Step careless of run ${runId}`);

  const [late] = await project.start("tooLate");
  expect(await ended(project, late!)).toMatchObject({ status: "COMPLETED" });
  await worker.says(`Step careless of run ${late} (attempt 1) left a rejected promise unhandled: after the step`);
  expect(await ended(project, (await project.start("tooLate"))[0]!)).toMatchObject({ status: "COMPLETED" });
  worker.kill("SIGTERM");
  expect(await worker.ended).toEqual({ code: 0, signal: null });
});

test.each([
  ["exits", "called process.exit(3), which ends this worker", 3],
  ["throws", "threw in a callback, which ends this worker: in a callback", 1],
])("a worker names the run and step that end it: %s", async (name, what, code) => {
  const project = await WorkerProject.create(WORKFLOWS);
  const worker = await project.worker(10_000);
  const [runId] = await project.start(name);
  expect(await worker.ended).toEqual({ code, signal: null });
  const lines = worker.output.split("\n").filter((line) => line.startsWith("{"));
  expect(lines.filter((line) => line.includes(`Step careless of run ${runId} (attempt 1) ${what}`))).toHaveLength(1);
});

test("an error that ends a worker is printed without secrets", { tags: ["D-11"] }, async () => {
  const project = await WorkerProject.create(`import { workflow } from "runledger";
const password = (process.env.RUNLEDGER_SECRET_DB_PASSWORD = "correct horse battery staple");
export const throws = workflow("throws", { version: "1" }, (w) =>
  w.step("careless", async () => {
    setTimeout(() => { throw new Error("no login", { cause: new Error("with " + password) }); }, 1);
    await new Promise((resolve) => setTimeout(resolve, 60_000));
  }));`);
  const worker = await project.worker(10_000);
  await project.start("throws");
  expect(await worker.ended).toEqual({ code: 1, signal: null });
  expect(worker.output).toMatch(/Uncaught Error: no login[^]*Error: with \[secret db-password\]/);
  expect(worker.output).not.toContain("correct horse");
});

test("the log of a worker has no secret of a step that leaves a rejection unhandled", { tags: ["R-23"] }, async () => {
  const project = await WorkerProject.create(`import { workflow } from "runledger";
const password = (process.env.RUNLEDGER_SECRET_DB_PASSWORD = "correct horse battery staple");
export const leaks = workflow("leaks", { version: "1" }, (w) =>
  w.step("careless", async () => {
    void Promise.reject(new Error("no login with " + password));
    await new Promise((resolve) => setTimeout(resolve, 60_000));
  }));`);
  const worker = await project.worker(10_000);
  const [runId] = await project.start("leaks");
  await ended(project, runId!);
  await worker.says("no login with [secret db-password]");
  expect(worker.output).not.toContain("correct horse");
});
