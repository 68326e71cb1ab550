// @module-tag U-10
import { workflow } from "@runledger/runtime";
import { expect, test } from "vitest";
import { testServer } from "@runledger/test-support/test-server";
import { z } from "zod";

const waiting = workflow("waiting", { version: "1" }, (w) => {
  const first = w.step("first", () => 1);
  const go = w.waitForSignal("go", { after: [first] });
  return w.step("last", { after: [go] }, () => 2);
});
let isBroken = true;
const flaky = workflow("flaky", { version: "1" }, (w) => {
  const good = w.step("good", () => 1);
  return w.step("bad", { needs: { good } }, ({ needs }) => {
    if (isBroken) throw new Error("no");
    return needs.good;
  });
});

test("many runs are cancelled with one call, after a dry run", async () => {
  const { client, ledger, call } = await testServer([waiting]);
  ledger.projector();
  await ledger.worker({ workflows: [waiting] });
  const runs = await Promise.all([1, 2, 3].map(() => ledger.start(waiting)));
  for (const run of runs) await expect.poll(async () => (await run.snapshot()).stepCount).toBe(2);
  await expect.poll(async () => (await client.countRuns()).RUNNING).toBe(3);

  const filter = { workflow: "waiting", status: ["RUNNING" as const] };
  const look = await client.actOnRuns({ action: "cancel", filter, dryRun: true });
  expect(look).toMatchObject({ dryRun: true, accepted: 3, refused: 0, more: false });
  expect((await client.getRun(runs[0]!.id)).status).toBe("RUNNING");

  const runIds = [...runs.map(({ id }) => id), "run_absent"];
  const request = { action: "cancel" as const, runIds, requestId: "clean-up" };
  const done = await client.actOnRuns(request);
  expect(done).toMatchObject({ accepted: 3, refused: 1, items: [{}, {}, {}, { code: "RUN_NOT_FOUND" }] });
  for (const run of runs) await expect.poll(async () => (await run.snapshot()).status).toBe("CANCELLED");
  expect(await client.actOnRuns(request)).toMatchObject({ accepted: 3 }); // a repeated call is the same action
  expect(await client.actOnRuns({ action: "cancel", runIds: [runIds[0]!] })).toMatchObject({ accepted: 0, refused: 1 });
  expect((await call("POST", "/runs/actions", { action: "cancel" })).status).toBe(400);
  expect((await call("POST", "/runs/actions", { action: "cancel", runIds, filter })).status).toBe(400);
});

test("names that a run does not have are refused over HTTP, also in a dry run", { tags: ["R-02"] }, async () => {
  const declared = workflow("declared", { version: "1", signals: { go: z.object({}) } }, (w) => w.waitForSignal("go"));
  const { ledger, call } = await testServer([declared]);
  const run = await ledger.start(declared);
  for (const [path, body, status, code] of [
    ["signals/goo", { payload: {} }, 400, "SIGNAL_UNKNOWN"],
    ["actions/skip", { stepId: "nosuch" }, 404, "STEP_NOT_FOUND"],
    ["actions/skip", { stepId: "nosuch", dryRun: true }, 404, "STEP_NOT_FOUND"],
    ["actions/retry", { stepId: "nosuch" }, 404, "STEP_NOT_FOUND"],
  ] as const) {
    const answer = await call("POST", `/runs/${run.id}/${path}`, body);
    expect([answer.status, ((await answer.json()) as { code: string }).code], path).toEqual([status, code]);
  }
  expect(await ledger.store.fetchEvents(run.id)).toHaveLength(1);
});

test("a run is forked over HTTP, after a dry run", async () => {
  const { client, ledger, call } = await testServer([flaky]);
  await ledger.worker({ workflows: [flaky] });
  const run = await ledger.start(flaky);
  await expect(run.result()).rejects.toThrow("no");
  isBroken = false;
  const look = await client.forkRun(run.id, { from: "bad", dryRun: true });
  expect(look).toMatchObject({ dryRun: true, kept: ["good"], runs: ["bad"], origin: { runId: run.id } });
  expect(look.runId).toBeUndefined();
  const first = await call("POST", `/runs/${run.id}/fork`, { from: "bad", requestId: "again" });
  expect(first.status).toBe(202);
  const { runId } = (await first.json()) as { runId: string };
  expect((await call("POST", `/runs/${run.id}/fork`, { from: "bad", requestId: "again" })).status).toBe(200);
  await expect.poll(async () => (await client.getRun(runId)).status).toBe("COMPLETED");
  for (const [body, status] of [
    [{ from: "nothing" }, 400],
    [{ from: "bad", version: "9" }, 404],
    [{}, 400],
  ] as const)
    expect((await call("POST", `/runs/${run.id}/fork`, body)).status).toBe(status);

  const diff = await client.diffRuns(run.id, runId);
  expect(diff).toMatchObject({ samePlan: true, sameInput: true, firstDifference: "bad", differences: 1, compared: 2 });
  expect(diff.items).toMatchObject([
    { stepId: "good", differs: [] },
    { stepId: "bad", one: { status: "FAILED", errorCode: "STEP_ERROR" }, other: { status: "SUCCESS" } },
  ]);
  expect(await client.diffRuns(run.id, run.id)).toMatchObject({ firstDifference: null, differences: 0 });
  const page = await client.diffRuns(run.id, runId, { limit: 1 });
  expect(page).toMatchObject({ items: [{ stepId: "good" }], next: "1" });
  expect((await call("GET", `/runs/${run.id}/diff/run_absent`)).status).toBe(404);
});

test("workers are listed with the workflows that they can run and the runs that they drive", async () => {
  const slow = workflow("slow", { version: "1" }, (w) => w.step("wait", ({ signal }) => forever(signal)));
  const { client, ledger } = await testServer([slow]);
  const worker = await ledger.worker({ workflows: [slow] });
  const run = await ledger.start(slow);
  await expect.poll(async () => (await client.listWorkers()).items[0]?.runs.length).toBe(1);
  expect(await client.listWorkers()).toMatchObject({
    items: [
      { workerId: worker.id, alive: true, plans: [{ planId: "slow", planVersion: "1" }], runs: [{ runId: run.id }] },
    ],
    unserved: [],
  });
  await ledger.act(run.id, "CANCEL");
  await expect.poll(async () => (await run.snapshot()).status).toBe("CANCELLED");
  await worker.stop();
  await ledger.start(slow);
  await expect
    .poll(async () => (await client.listWorkers()).unserved)
    .toMatchObject([{ planId: "slow", missing: "plan", openRuns: 1, reason: "no worker for slow 1" }]);
});

function forever(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("stopped"))));
}
