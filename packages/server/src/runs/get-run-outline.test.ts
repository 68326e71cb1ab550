// @module-tag U-32
import type { RunOutline } from "@runledger/client";
import { newEvent } from "@runledger/contracts";
import { workflow } from "@runledger/runtime";
import { expect, test } from "vitest";
import { testServer } from "@runledger/test-support/test-server";

const orders = workflow("orders", { version: "1" }, (w) => {
  const list = w.step("list", () => [1, 2, 3, 4]);
  const each = w.forEach("each", { needs: { list }, items: ({ needs }) => needs.list, concurrency: 1 }, (w) =>
    w.step("check", ({ item }) => item),
  );
  return w.step("report", { after: [each] }, () => "done");
});

test("an outline contains the outermost steps and counts of the others, at any seq", async () => {
  const { ledger, client } = await testServer([orders]);
  await ledger.worker({ workflows: [orders] });
  const run = await ledger.start(orders);
  await run.result();
  const brief = ({ steps, groups }: RunOutline) => ({
    steps: steps.map(({ stepId, status }) => `${stepId} ${status}`),
    groups: groups.map(({ stepId, done, running }) => ({ stepId, done, running })),
  });
  expect(brief(await client.getRunOutline(run.id))).toEqual({
    steps: ["list SUCCESS", "each SUCCESS", "report SUCCESS"],
    groups: [{ stepId: "each", done: 4, running: 0 }],
  });
  const events = (await client.listEvents(run.id)).items;
  const { runSeq } = events.find(({ eventType, stepId }) => eventType === "StepStarted" && stepId === "each/2/check")!;
  const then = await client.getRunOutline(run.id, { atSeq: runSeq });
  expect(then.run.lastEventSeq).toBe(runSeq);
  expect(brief(then)).toEqual({
    steps: ["list SUCCESS", "each RUNNING"],
    groups: [{ stepId: "each", done: 2, running: 1 }],
  });
  expect(then.landmarks).toEqual([]);
  await expect(client.getRunOutline(run.id, { atSeq: 999 })).rejects.toMatchObject({ code: "REQUEST_INVALID" });
});

test("an outline contains the run-level events up to a seq", async () => {
  const { ledger, client } = await testServer([]);
  const event = (eventType: string, logicalAttemptId = "1", eventData = {}) =>
    newEvent({ runId: "run-1", planVersion: "1", eventType, logicalAttemptId, eventData });
  const takenOver = (count: number) =>
    event("RunTakenOver", String(count), { epoch: count + 1, workerId: `worker-${count + 1}`, stepsInFlight: [] });
  const others = Array.from({ length: 50 }, (_, index) => event("Noted", String(index + 1)));
  await ledger.store.appendEvents([event("RunQueued"), event("RunStarted"), takenOver(1), ...others]);
  await ledger.store.appendEvents([event("RunPaused"), event("RunResumed"), takenOver(2)]);
  const { landmarks } = await client.getRunOutline("run-1");
  expect(landmarks.map(({ runSeq, eventType }) => [runSeq, eventType])).toEqual([
    [3, "RunTakenOver"],
    [54, "RunPaused"],
    [55, "RunResumed"],
    [56, "RunTakenOver"],
  ]);
  expect(landmarks.at(-1)).toMatchObject({ workerId: "worker-3", epoch: 3 });
  expect((await client.getRunOutline("run-1", { atSeq: 54 })).landmarks).toHaveLength(2);
});
