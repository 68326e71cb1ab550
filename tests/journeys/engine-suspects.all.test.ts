// @module-tag R-08
/** Steps that kill or block their worker, in real worker processes (D5). */
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Running } from "@runledger/test-support/runledger-command";
import { WorkerProject } from "@runledger/test-support/worker-project";

const LEASE_MS = 2000;
const HEAP = { NODE_OPTIONS: "--max-old-space-size=64" };

const GREEDY = `import { setTimeout as sleep } from "node:timers/promises";
import { workflow } from "runledger";
export const innocent = workflow("innocent", { version: "1" }, (w) => w.step("slow", () => sleep(1500, "done")));
export const greedy = workflow("greedy", { version: "1" }, (w) => w.step("fill", async () => {
  await sleep(300);
  const all = [];
  for (;;) all.push(new Array(100_000).fill(Math.random()));
}));`;

const HOARDING = `import { setTimeout as sleep } from "node:timers/promises";
import { workflow } from "runledger";
export const innocent = workflow("innocent", { version: "1" }, (w) => w.step("slow", () => sleep(1500, "done")));
const schema = { "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }) } };
export const hoard = workflow("hoard", { version: "1", state: { schema, initial: {} } }, (w) =>
  w.forEach("parts", { items: () => Array.from({ length: 300 }, (_, n) => n), concurrency: 4 }, (each) =>
    each.step("add", ({ item, patch }) => patch({ ["part" + item]: "x".repeat(200 * 1024) }))));`;

/** Blocks the thread without using the processor. */
const BLOCKED = `import { workflow } from "runledger";
const block = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
export const step = workflow("step", { version: "1" }, (w) => w.step("blocks", () => block()));
export const closure = workflow("closure", { version: "1" }, (w) =>
  w.when("asks", { if: () => block() }, (body) => body.step("inside", () => 1)));`;

async function statusOf({ ledger }: WorkerProject, runId: string): Promise<string | undefined> {
  return (await ledger.store.projectSnapshot(runId))?.status;
}

/** Replaces each worker that ended, until the runs are finished. */
async function superviseUntil(project: WorkerProject, isOver: () => Promise<boolean>): Promise<number> {
  let started = 0;
  let worker: Running | null = null;
  let hasEnded = true;
  while (!(await isOver())) {
    if (hasEnded) {
      started++;
      hasEnded = false;
      worker = await project.worker(LEASE_MS);
      void worker.ended.then(() => (hasEnded = true));
    }
    await sleep(50);
  }
  worker?.kill("SIGKILL");
  return started;
}

async function takeOvers(project: WorkerProject, runId: string): Promise<number> {
  return (await project.story(runId)).filter((line) => line === "RunTakenOver").length;
}

test("a step that runs out of memory fails alone, and the runs beside it complete", { timeout: 600_000 }, async () => {
  const project = await WorkerProject.create(GREEDY);
  Object.assign(project.where.env, HEAP);
  const innocents = await project.start("innocent", 3);
  const [culprit] = await project.start("greedy");
  const all = [...innocents, culprit!];
  const isOpen = async (runId: string): Promise<boolean> =>
    !["COMPLETED", "FAILED"].includes((await statusOf(project, runId))!);
  const started = await superviseUntil(project, async () => !(await Promise.all(all.map(isOpen))).includes(true));

  expect(await Promise.all(innocents.map((runId) => statusOf(project, runId)))).toEqual(Array(3).fill("COMPLETED"));
  for (const runId of innocents) expect(await takeOvers(project, runId)).toBeLessThan(5);
  const snapshot = await project.ledger.store.projectSnapshot(culprit!);
  expect(snapshot).toMatchObject({ status: "FAILED", error: { code: "WORKER_LOST" } });
  expect(await takeOvers(project, culprit!)).toBe(5);
  expect(started).toBeGreaterThanOrEqual(6);
});

test("a run whose state would fill the memory fails with the reason, and no worker is lost", async () => {
  const project = await WorkerProject.create(HOARDING);
  Object.assign(project.where.env, HEAP);
  const innocents = await project.start("innocent", 3);
  const [culprit] = await project.start("hoard");
  await project.worker(LEASE_MS);
  for (const runId of innocents) await expect.poll(() => statusOf(project, runId)).toBe("COMPLETED");
  await expect.poll(() => statusOf(project, culprit!)).toBe("FAILED");
  const snapshot = await project.ledger.store.projectSnapshot(culprit!);
  const failures = snapshot.steps.filter(({ status }) => status === "FAILED");
  expect(failures).toContainEqual(
    expect.objectContaining({ error: expect.objectContaining({ code: "PAYLOAD_TOO_LARGE" }) as unknown }),
  );
  for (const runId of [...innocents, culprit!]) expect(await takeOvers(project, runId)).toBe(0);
});

test.each(["step", "closure"])(
  "a %s that blocks five workers in turn past their lease fails with the reason",
  { timeout: 600_000, tags: ["R-06"] },
  async (name) => {
    const project = await WorkerProject.create(BLOCKED);
    const [runId] = await project.start(name);
    for (let lost = 0; lost < 5; lost++) {
      const blocked = await project.worker(LEASE_MS);
      const isOwner = async (): Promise<boolean> => {
        const rows = await project.query("SELECT owner FROM runledger.run_queue WHERE run_id = $1", [runId]);
        return rows[0]?.["owner"] === blocked.workerId;
      };
      await expect.poll(isOwner).toBe(true);
      await expect.poll(() => takeOvers(project, runId!)).toBe(lost);
      await sleep(200); // the step or closure is called after the take-over is recorded
      blocked.kill("SIGSTOP");
    }
    await project.worker(LEASE_MS);
    await expect.poll(() => statusOf(project, runId!)).toBe("FAILED");
    const { error } = (await project.ledger.store.projectSnapshot(runId!)) as unknown as { error: unknown };
    expect(error).toMatchObject({
      code: "WORKER_LOST",
      message: expect.stringContaining("5 workers were lost") as string,
    });
    expect(await takeOvers(project, runId!)).toBe(5);
  },
);
