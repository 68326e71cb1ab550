// @module-tag E-18
/** Rolling deploys: a run finishes on the version and the log format it started with (D7, F5). */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LOG_FORMAT, newEvent } from "@runledger/contracts";
import { expect, test } from "vitest";
import { WorkerProject } from "@runledger/test-support/worker-project";

/** The last step creates a file when it starts, and finishes when the test creates another file. */
const VERSION = (version: string, more = "") => `import { existsSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { workflow } from "runledger";
export const report = workflow("report", { version: "${version}" }, (w) => {
  const write = w.step("write", () => "written by ${version}");
  const go = w.waitForSignal("go", { after: [write] });
  ${more}
  return w.step("send", { needs: { write }, after: [go] }, async ({ needs, runId }) => {
    writeFileSync("sending-" + runId, "");
    while (!existsSync("may-send")) await sleep(20);
    return needs.write + ", sent by ${version} in " + process.pid;
  });
});`;
const OLD = VERSION("1.0.0");
const YOUNG = VERSION("1.1.0", `w.step("check", { after: [go] }, () => "fine");`);
const BOTH = `${YOUNG}\n${OLD.replace("const report", "const before").replaceAll(/^import .*$/gm, "")}`;

const maySend = ({ where }: WorkerProject): void => writeFileSync(join(where.cwd, "may-send"), "");

/** No lease expires during a test, so a run changes its worker only if the worker releases it. */
const LEASE_MS = 600_000;

async function ended(project: WorkerProject, runId: string) {
  await expect.poll(() => project.story(runId)).toContain("RunCompleted");
  const events = await project.events(runId);
  const sent = events.find(({ eventType, stepId }) => eventType === "StepCompleted" && stepId === "send")!;
  return {
    versions: [...new Set(events.map(({ planVersion }) => planVersion))],
    output: (sent.eventData as { output: string }).output,
    takenOver: events.filter(({ eventType }) => eventType === "RunTakenOver").length,
  };
}

test("in a rolling deploy open runs finish on 1.0.0, new runs on 1.1.0, and workers claim only versions they have", async () => {
  const old = await WorkerProject.create(OLD);
  const [first, second] = [await old.worker(LEASE_MS), await old.worker(LEASE_MS)];
  const [sending, waiting] = (await old.start("report", 2)) as [string, string];
  for (const runId of [sending, waiting]) await expect.poll(() => old.story(runId)).toContain("StepStarted go");
  await old.ledger.signal(sending, "go", {});
  await expect.poll(() => existsSync(join(old.where.cwd, `sending-${sending}`))).toBe(true);

  const both = old.release(BOTH);
  const [early] = (await both.start("report")) as [string];
  await old.start("report"); // the old workers do claim this one
  await expect.poll(async () => (await old.query(OPEN_AND_IDLE))[0]!["count"]).toBe(2);
  expect(await old.story(early)).toEqual(["RunQueued"]);

  maySend(both);
  const young = await both.worker(LEASE_MS);
  await both.ledger.signal(early, "go", {});
  first.kill("SIGTERM");
  second.kill("SIGTERM");
  maySend(old);
  expect(await first.ended).toEqual({ code: 0, signal: null });
  expect(await second.ended).toEqual({ code: 0, signal: null });
  await both.ledger.signal(waiting, "go", {});
  const [late] = (await both.start("report")) as [string];
  await both.ledger.signal(late, "go", {});

  const byOld = [first.pid, second.pid].map((pid) => `written by 1.0.0, sent by 1.0.0 in ${pid}`);
  const drained = await ended(old, sending);
  expect(drained).toMatchObject({ versions: ["1.0.0"], takenOver: 0 });
  expect(byOld).toContain(drained.output);
  expect(await ended(old, waiting)).toEqual({
    versions: ["1.0.0"],
    output: `written by 1.0.0, sent by 1.0.0 in ${young.pid}`,
    takenOver: 0,
  });
  for (const runId of [early, late]) {
    expect(await ended(both, runId)).toEqual({
      versions: ["1.1.0"],
      output: `written by 1.1.0, sent by 1.1.0 in ${young.pid}`,
      takenOver: 0,
    });
  }
});

/** Runs of 1.0.0 that wait for their signal. */
const OPEN_AND_IDLE = `SELECT count(*)::int FROM runledger.run_queue
  WHERE plan_version = '1.0.0' AND owner IS NULL AND available_at = 'infinity'`;

const NEWER = LOG_FORMAT + 1;
const plan = { planId: "report", planVersion: "1.0.0" };

/** Starts a run as a newer release with a newer log format would. */
async function startNewer({ ledger }: WorkerProject, runId: string): Promise<void> {
  const event = newEvent({ runId, ...plan, eventType: "RunQueued", eventData: { plan, logFormat: NEWER } });
  const request = { startKey: runId, inputHash: "", tenantId: "default", logFormat: NEWER, priority: 9 };
  await ledger.store.queue.startRun({ event, ...request });
}

test("a worker with the previous log format does not claim newer runs, even after a retry by its own release", async () => {
  const project = await WorkerProject.create(OLD);
  const { ledger } = project;
  await startNewer(project, "newer");
  await startNewer(project, "failed");
  const of = (eventType: string, stepId?: string) =>
    newEvent({ runId: "failed", ...plan, eventType, ...(stepId === undefined ? {} : { stepId }) });
  const history = [of("RunStarted"), of("StepStarted", "write"), of("StepFailed", "write"), of("RunFailed")];
  await ledger.store.appendEvents(history, { ends: true });
  await ledger.act("failed", "RETRY_RUN");
  const before = await Promise.all(["newer", "failed"].map((runId) => project.story(runId)));
  expect(before[1]!.at(-1)).toBe("RunReopened");

  maySend(project);
  await project.worker(LEASE_MS);
  const [own] = (await project.start("report")) as [string];
  await ledger.signal(own, "go", {});
  await ended(project, own); // the worker polled the queue many times with the newer runs at its front
  expect(await Promise.all(["newer", "failed"].map((runId) => project.story(runId)))).toEqual(before);
  expect((await ledger.unserved()).map(({ logFormat, openRuns }) => ({ logFormat, openRuns }))).toEqual([
    { logFormat: NEWER, openRuns: 2 },
  ]);

  await ledger.store.leases.heartbeat({ workerId: "upgraded", ttlMs: LEASE_MS });
  const able = { workerId: "upgraded", plans: [plan], logFormat: NEWER, limit: 5 };
  const { runs } = await ledger.store.queue.claimRuns(able);
  expect(runs.map(({ runId, epoch }) => ({ runId, epoch }))).toEqual([
    { runId: "failed", epoch: 1 },
    { runId: "newer", epoch: 1 },
  ]);
});
