// @module-tag T-18
/** Runs on Snowflake start directly on a Temporal cluster: the store has no queue and no leases. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporalEngine } from "@runledger/engine-temporal";
import { describeWith, requireTool } from "@runledger/test-support/requirements";
import { freshProject, runledger, startRunledger, type Running } from "@runledger/test-support/runledger-command";
import { requireTemporal, TemporalServer } from "@runledger/test-support/temporal-server";
import { until } from "@runledger/test-support/until";
import { connect, workflow, type CanonicalEngineEvent, type Ledger, type RunHandle } from "runledger";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { startEmulator, type Emulator } from "@runledger/test-support/snowflake-emulator.mjs";
import { canonicalRuns } from "../engine-conformance/canonical.js";

const TASK_QUEUE = "snowflake";

const tenSteps = workflow("ten-steps", { version: "1" }, (w) => {
  let last = w.step("step-1", () => 1);
  for (let i = 2; i <= 10; i++) last = w.step(`step-${i}`, { needs: { last } }, ({ needs }) => needs.last + 1);
  return last;
});
const nap = workflow("nap", { version: "1" }, (w) => {
  const slept = w.sleep("slept", { for: "2s" });
  return w.step("awake", { after: [slept] }, () => "awake");
});
const family = workflow("family", { version: "1" }, (w) => {
  const child = w.child("child", nap);
  return w.step("grown", { needs: { child } }, ({ needs }) => `${needs.child} child`);
});
const waiting = workflow("waiting", { version: "1" }, (w) => w.waitForSignal("go"));
const printing = workflow("printing", { version: "1" }, (w) =>
  w.step("print", ({ log }) => {
    log("printed");
    return "done";
  }),
);
const workflows = [tenSteps, nap, family, waiting, printing];

const PROJECT = `import { existsSync } from "node:fs";
import { appendFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { workflow } from "runledger";
export const slow = workflow("slow", { version: "1" }, (w) => {
  const first = w.step("first", () => 1);
  const held = w.step("held", { after: [first] }, async () => {
    await appendFile("attempts.txt", process.pid + "\\n");
    while (!existsSync("go.txt")) await sleep(50);
    return 2;
  });
  return w.step("last", { needs: { held } }, ({ needs }) => needs.held + 1);
});
`;

describeWith("Snowflake's emulator with a Temporal server", [requireTemporal, requireTool("python3")], () => {
  let server: TemporalServer;
  let emulator: Emulator;
  let url: string;
  /** Has no worker. */
  let caller: Ledger;

  const engineAt = (taskQueue: string) => temporalEngine({ address: server.address, taskQueue });

  beforeAll(async () => {
    [server, emulator] = await Promise.all([TemporalServer.start(), startEmulator()]);
    url = emulator.url("DIRECT");
    caller = await connect(url, { engine: engineAt(TASK_QUEUE) });
    const working = await connect(url, { engine: engineAt(TASK_QUEUE) });
    await working.worker({ workflows });
    closing.push(
      () => working.close(),
      () => caller.close(),
    );
  }, 1_800_000);
  const closing: (() => Promise<unknown>)[] = [];
  afterAll(async () => {
    for (const close of closing) await close();
    await emulator?.stop();
    await server?.stop();
  });

  /** Plays one run of each kind. Returns their ids. */
  async function play(ledger: Ledger): Promise<readonly string[]> {
    const ten = await ledger.start(tenSteps);
    const parent = await ledger.start(family);
    const signaled = await ledger.start(waiting);
    const stopped = await ledger.start(waiting);
    await Promise.all([signaled, stopped].map((run) => begun(ledger, run)));
    await ledger.signal(signaled.id, "go", "gone");
    await stopped.cancel();
    expect(await ten.result()).toBe(10);
    expect(await parent.result()).toBe("awake child");
    expect(await (await ledger.get(waiting, signaled.id)).result()).toBe("gone");
    await until(async () => (await stopped.snapshot()).status === "CANCELLED");
    return [ten, parent, signaled, stopped].map(({ id }) => id);
  }

  const begun = (ledger: Ledger, { id }: Pick<RunHandle, "id">) =>
    until(async () => (await ledger.store.fetchEvents(id)).some(({ eventType }) => eventType === "StepStarted"));

  test("steps, children, timers, signals and cancels leave the events of the embedded engine", async () => {
    const embedded = await connect("memory:");
    onTestFinished(() => embedded.close());
    await embedded.worker({ workflows });
    const [there, here] = await Promise.all([play(caller), play(embedded)]);
    expect(await canonicalRuns(caller.store, there)).toEqual(await canonicalRuns(embedded.store, here));
    for (const id of there) expect(await server.executions(`WorkflowId = "${id}"`)).toHaveLength(1);
  });

  test("the same start by two clients is one run with one execution", async () => {
    const other = await connect(url, { engine: engineAt(TASK_QUEUE) });
    onTestFinished(() => other.close());
    const start = (ledger: Ledger) => ledger.start(tenSteps, { requestId: "once" });
    const [one, two, again] = await Promise.all([start(caller), start(other), start(caller)]);
    expect(new Set([one.id, two.id, again.id]).size).toBe(1);
    expect(await one.result()).toBe(10);
    expect((await start(other)).id).toBe(one.id);
    expect(await server.executions(`WorkflowId = "${one.id}"`)).toHaveLength(1);
    const ofOthers = await caller.start(tenSteps, { requestId: "once", tenantId: "acme" });
    expect(ofOthers.id).not.toBe(one.id);
  });

  test("a start whose cluster did not respond is continued by the same request", async () => {
    const lost = await connect(url, { engine: temporalEngine({ address: "127.0.0.1:1", taskQueue: TASK_QUEUE }) });
    onTestFinished(() => lost.close());
    const request = { requestId: "lost" };
    await expect(lost.start(tenSteps, request)).rejects.toMatchObject({ code: "ENGINE_UNAVAILABLE", family: "retry" });
    expect(await (await caller.start(tenSteps, request)).result()).toBe(10);
  });

  test("a step may print, although the store keeps no logs", async () => {
    expect(await (await caller.start(printing)).result()).toBe("done");
  });

  /** A project with its own task queue, whose workflow waits in its second step. */
  function project(taskQueue: string) {
    const engine = { kind: "temporal", address: server.address, taskQueue, heartbeatTimeoutMs: 5000 };
    const config = `export default { workflows: ["./slow.mjs"], engine: ${JSON.stringify(engine)} };`;
    const cwd = freshProject({ "runledger.config.mjs": config, "slow.mjs": PROJECT });
    const where = { cwd, env: { RUNLEDGER_STORE: url } };
    const worker = async (): Promise<Running> => {
      const running = startRunledger(where, "worker");
      await running.says("Engine    temporal");
      return running;
    };
    return { where, worker, release: () => writeFileSync(join(cwd, "go.txt"), "") };
  }

  /** Starts a run, and waits until its second step waits. */
  async function heldRun(taskQueue: string) {
    const { where, worker, release } = project(taskQueue);
    const ledger = await connect(url, { engine: engineAt(taskQueue) });
    onTestFinished(() => ledger.close());
    const { slow } = (await import(join(where.cwd, "slow.mjs"))) as { readonly slow: typeof tenSteps };
    const first = await worker();
    const run = await ledger.start(slow);
    const attempts = join(where.cwd, "attempts.txt");
    const attempted = (times: number) => until(() => existsSync(attempts) && linesOf(attempts) === times);
    await attempted(1);
    return { ledger, run, first, worker, attempted, release };
  }

  const linesOf = (file: string): number => readFileSync(file, "utf8").split("\n").length - 1;

  interface HeldRun {
    readonly ledger: Ledger;
    readonly run: RunHandle<number>;
  }

  const takeOvers = async ({ ledger, run }: HeldRun) =>
    (await ledger.store.fetchEvents(run.id)).filter(({ eventType }) => eventType === "RunTakenOver");

  /** Waits for the end. The held step must have completed once. Returns the take-overs. */
  async function finished(held: HeldRun): Promise<readonly unknown[]> {
    expect(await held.run.result()).toBe(3);
    const isEnd = ({ eventType, stepId }: CanonicalEngineEvent) => eventType === "StepCompleted" && stepId === "held";
    expect((await held.ledger.store.fetchEvents(held.run.id)).filter(isEnd)).toHaveLength(1);
    return (await takeOvers(held)).map(({ eventData }) => eventData);
  }

  test("after kill -9 of its worker, another worker finishes the run", async () => {
    const held = await heldRun("killed");
    held.first.kill("SIGKILL");
    await held.first.ended;
    await held.worker();
    await held.attempted(2);
    held.release();
    expect((await finished(held))[0]).toMatchObject({ stepsInFlight: ["held"] });
  });

  test("an action restores a terminated execution, and the old attempt of a step records nothing", async () => {
    const held = await heldRun("terminated");
    await server.terminate(held.run.id);
    await held.run.pause();
    await until(async () => (await takeOvers(held)).length === 1);
    await held.run.resume();
    await held.attempted(2);
    held.release();
    expect((await finished(held))[0]).toMatchObject({ epoch: 2, stepsInFlight: ["held"] });
  });

  test("commands start and read a run", async () => {
    const { where, worker, release } = project("commands");
    await worker();
    release();
    const json = async (...args: readonly string[]): Promise<unknown> => {
      const { code, stdout, stderr } = await runledger(where, ...args, "--json");
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      return JSON.parse(stdout);
    };
    const { runId } = (await json("run", "slow")) as { readonly runId: string };
    expect(await json("result", runId)).toMatchObject({ status: "COMPLETED", output: 3 });
    const { stderr } = await runledger(where, "runs");
    expect(stderr).toContain("STORE_UNSUITABLE");
  });

  const refused: readonly (readonly [string, (ledger: Ledger) => unknown])[] = [
    ["index", (ledger) => ledger.list().page()],
    ["feed", (ledger) => ledger.projector()],
    ["limits", (ledger) => ledger.limits.list()],
    ["outbox", (ledger) => ledger.outbox()],
    ["plans", (ledger) => ledger.unserved()],
    ["queue", (ledger) => ledger.queue.list()],
    ["retention", (ledger) => ledger.cleaner()],
    ["schedules", (ledger) => ledger.schedules.list()],
    ["schedules", (ledger) => ledger.scheduler()],
    ["triggers", (ledger) => ledger.triggers.list()],
    ["triggers", (ledger) => ledger.consumers()],
  ];

  test.each(refused)("an operation that needs the port %s is refused", async (port, use) => {
    const refusal = { code: "STORE_UNSUITABLE", message: expect.stringContaining(`(port ${port})`) as string };
    await expect(Promise.resolve(caller).then(use)).rejects.toMatchObject(refusal);
  });

  test("starts that must wait and the embedded engine are refused with the alternative", async () => {
    await expect(caller.start(waiting, { startAt: new Date() })).rejects.toThrow("startAt needs a queue");
    await expect(caller.start(waiting, { concurrencyKey: "one" })).rejects.toThrow("concurrencyKey needs a queue");
    await expect(connect(url)).rejects.toThrow("Pass an engine that starts runs directly");
    await expect(connect(url)).rejects.toMatchObject({ code: "STORE_UNSUITABLE" });
  });
});
