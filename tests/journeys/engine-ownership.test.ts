/** Who owns which run, shown from outside: real processes, and the rows that they leave in the database (O1, P4, D5). */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { WorkerProject } from "../support/worker-project.js";

/** Its steps end when a file appears: the test decides when. Who has begun says so in another file. */
const SLOW = `import { appendFileSync, existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { workflow } from "runledger";
export const slow = workflow("slow", { version: "1" }, (w) => {
  const long = w.step("long", async ({ runId }) => {
    appendFileSync("begun", runId + " " + process.pid + "\\n");
    while (!existsSync("go")) await sleep(20);
    return process.pid;
  });
  return w.step("last", { needs: { long } }, ({ needs }) => needs.long);
});`;

const release = ({ where }: WorkerProject): void => writeFileSync(join(where.cwd, "go"), "");

/** Every run of theirs, as the database holds it: another transaction id is another write. */
interface Owned extends Record<string, unknown> {
  readonly run_id: string;
  readonly owner: string;
  readonly queue_write: string;
  readonly head_write: string;
}

const ownedRuns = (project: WorkerProject): Promise<Owned[]> =>
  project.query<Owned>(`SELECT q.run_id, q.owner, q.xmin::text AS queue_write, h.xmin::text AS head_write
    FROM runledger.run_queue q JOIN runledger.run_heads h USING (run_id) WHERE q.owner IS NOT NULL ORDER BY q.run_id`);

const begun = ({ where }: WorkerProject): string[] =>
  readFileSync(join(where.cwd, "begun"), { encoding: "utf8", flag: "a+" }).split("\n").slice(0, -1);

async function count(project: WorkerProject, what: string): Promise<unknown> {
  return (await project.query(`SELECT count(*)::int AS count FROM runledger.${what}`))[0]!["count"];
}

test("[E-20] runs are claimed twenty at a time, and kept by one heartbeat per worker however many they are", async () => {
  const project = await WorkerProject.create(SLOW);
  await project.start("slow", 60);
  const first = await project.worker(4500);
  await expect.poll(() => begun(project).length).toBe(60);
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

test("[E-20] any number of workers share the runs: each is driven by one of them, and none is taken over", async () => {
  const project = await WorkerProject.create(SLOW);
  release(project);
  await Promise.all(Array.from({ length: 5 }, () => project.worker(10_000)));
  const runIds = await project.start("slow", 60);
  await expect.poll(() => count(project, "run_queue")).toBe(0);
  expect(new Set(begun(project).map((line) => line.split(" ")[0]))).toEqual(new Set(runIds));
  expect(begun(project)).toHaveLength(runIds.length);
  expect(new Set(begun(project).map((line) => line.split(" ")[1])).size).toBeGreaterThan(1);
  expect(await count(project, "run_events WHERE event_type = 'RunTakenOver'")).toBe(0);
});

test("[E-20] killed with -9 in a step, its run is taken over once its lease is over, and that is on record", async () => {
  const project = await WorkerProject.create(SLOW);
  const first = await project.worker(1500);
  const [runId] = await project.start("slow");
  await expect.poll(() => begun(project).length).toBe(1);
  const second = await project.worker(1500);
  first.kill("SIGKILL");
  await expect.poll(() => begun(project).length).toBe(2);
  const expiry = "SELECT expires_at FROM runledger.workers WHERE worker_id = $1";
  const [lease] = await project.query<{ expires_at: Date }>(expiry, [first.workerId]);
  release(project);
  await expect.poll(() => project.story(runId!)).toContain("RunCompleted");

  const events = await project.events(runId!);
  const taken = events.find(({ eventType }) => eventType === "RunTakenOver")!;
  expect(taken.eventData).toEqual({ epoch: 2, workerId: second.workerId, stepsInFlight: ["long"] });
  const late = Date.parse(taken.persistedAt!) - lease!.expires_at.getTime();
  console.log(`taken over ${late} ms after the lease was over, with a lease of 1500 ms`);
  expect(late).toBeGreaterThanOrEqual(0);
  expect((await project.story(runId!)).filter((event) => event === "StepCompleted long")).toHaveLength(1);
});

test("[E-20] stopped past its lease, a worker that wakes up is refused, drops the run, and works on", async () => {
  const project = await WorkerProject.create(SLOW);
  const first = await project.worker(1000);
  const [runId] = await project.start("slow");
  await expect.poll(() => begun(project).length).toBe(1);
  first.kill("SIGSTOP");
  const second = await project.worker(1000);
  await expect.poll(() => begun(project).length).toBe(2);
  release(project);
  await expect.poll(() => project.story(runId!)).toContain("RunCompleted");
  const before = await project.events(runId!);
  expect(before.findLast(({ eventType }) => eventType === "StepCompleted")?.eventData).toEqual({ output: second.pid });
  second.kill("SIGTERM");
  await second.ended;

  first.kill("SIGCONT"); // its step ends now, and it has something to say about it
  const [next] = await project.start("slow");
  await expect.poll(() => project.story(next!)).toContain("RunCompleted");
  expect(begun(project).at(-1)).toBe(`${next} ${first.pid}`);
  expect(await project.events(runId!)).toEqual(before);
});

const POISON = `import { appendFileSync } from "node:fs";
import { workflow } from "runledger";
export const poison = workflow("poison", { version: "1" }, (w) =>
  w.step("poison", { retry: { attempts: 3 } }, () => {
    appendFileSync("begun", process.pid + "\\n");
    process.kill(process.pid, "SIGKILL");
  }));`;

test("[E-20] a step that takes five workers with it is given up: WORKER_LOST, and the sixth lives", async () => {
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
  expect(begun(project)).toHaveLength(5);
  last.kill("SIGTERM");
  expect(await last.ended).toEqual({ code: 0, signal: null });
});
