// @module-tag E-20
/** Ownership of runs by several worker processes that share, suspend and kill (O1, P4, D5). */
import { expect, test } from "vitest";
import { WorkerProject } from "@runledger/test-support/worker-project";
import { count, ownedRuns, release, SLOW, started } from "./slow-runs.js";

test("workers claim twenty runs at a time and keep any number of them with one heartbeat", async () => {
  const project = await WorkerProject.create(SLOW);
  await project.start("slow", 60);
  const first = await project.worker(4500);
  await expect.poll(() => started(project).length).toBe(60);
  const second = await project.worker(4500);

  const owned = await ownedRuns(project);
  expect(new Set(owned.map(({ owner }) => owner))).toEqual(new Set([first.workerId]));
  expect(new Set(owned.map(({ queue_write }) => queue_write)).size).toBe(3);

  const heartbeats = async (): Promise<string[]> => {
    const rows = await project.query<{ beat: string }>("SELECT xmin::text AS beat FROM runledger.workers");
    return rows.map(({ beat }) => beat);
  };
  const seen = new Set<string>();
  await expect.poll(async () => (await heartbeats()).forEach((beat) => seen.add(beat)) ?? seen.size).toBeGreaterThan(5);
  expect(await heartbeats()).toHaveLength(2);
  expect(await ownedRuns(project)).toEqual(owned);

  release(project);
  await expect.poll(() => count(project, "run_queue")).toBe(0);
  second.kill("SIGTERM");
  expect(await second.ended).toEqual({ code: 0, signal: null });
});

test("several workers share the runs: each run has one worker, and none is taken over", async () => {
  const project = await WorkerProject.create(SLOW);
  release(project);
  await Promise.all(Array.from({ length: 5 }, () => project.worker(10_000)));
  const runIds = await project.start("slow", 60);
  await expect.poll(() => count(project, "run_queue")).toBe(0);
  expect(new Set(started(project).map((line) => line.split(" ")[0]))).toEqual(new Set(runIds));
  expect(started(project)).toHaveLength(runIds.length);
  expect(new Set(started(project).map((line) => line.split(" ")[1])).size).toBeGreaterThan(1);
  expect(await count(project, "run_events WHERE event_type = 'RunTakenOver'")).toBe(0);
});

test("a worker that is suspended past its lease is fenced off, drops the run and continues with others", async () => {
  const project = await WorkerProject.create(SLOW);
  const first = await project.worker(1000);
  const [runId] = await project.start("slow");
  await expect.poll(() => started(project).length).toBe(1);
  first.kill("SIGSTOP");
  const second = await project.worker(1000);
  await expect.poll(() => started(project).length).toBe(2);
  release(project);
  await expect.poll(() => project.story(runId!)).toContain("RunCompleted");
  const before = await project.events(runId!);
  expect(before.findLast(({ eventType }) => eventType === "StepCompleted")?.eventData).toEqual({ output: second.pid });
  second.kill("SIGTERM");
  await second.ended;

  first.kill("SIGCONT"); // its step finishes now, and the worker tries to record that
  const [next] = await project.start("slow");
  await expect.poll(() => project.story(next!)).toContain("RunCompleted");
  expect(started(project).at(-1)).toBe(`${next} ${first.pid}`);
  expect(await project.events(runId!)).toEqual(before);
});

const POISON = `import { appendFileSync } from "node:fs";
import { workflow } from "runledger";
export const poison = workflow("poison", { version: "1" }, (w) =>
  w.step("poison", { retry: { attempts: 3 } }, () => {
    appendFileSync("started", process.pid + "\\n");
    process.kill(process.pid, "SIGKILL");
  }));`;

test("a step that kills five workers fails with WORKER_LOST, and the sixth worker survives", async () => {
  const project = await WorkerProject.create(POISON);
  const [runId] = await project.start("poison");
  for (let lost = 0; lost < 5; lost++) {
    const victim = await project.worker(300);
    expect(await victim.ended).toEqual({ code: null, signal: "SIGKILL" });
  }
  const last = await project.worker(300);
  await expect.poll(() => project.story(runId!)).toContain("RunFailed");
  expect(await project.story(runId!)).toEqual([
    "RunQueued",
    "RunStarted",
    "StepStarted poison",
    ...Array.from({ length: 5 }, () => "RunTakenOver"),
    "StepFailed poison",
    "RunFailed",
  ]);
  const events = await project.events(runId!);
  expect(events.at(-2)!.eventData).toMatchObject({ error: { code: "WORKER_LOST", retryable: false } });
  expect(started(project)).toHaveLength(5);
  last.kill("SIGTERM");
  expect(await last.ended).toEqual({ code: 0, signal: null });
});
