// @module-tag E-16
/** Containers and children that are cancelled, skipped and retried from outside, executed by a worker. */
import { connect, workflow, type Ledger } from "../index.js";
import { afterAll, beforeAll, expect, test } from "vitest";

let ledger: Ledger;
beforeAll(async () => {
  ledger = await connect("memory:");
});
afterAll(() => ledger.close());

/** Runs until it is aborted. */
function forEver({ signal }: { readonly signal: AbortSignal }): Promise<number> {
  return new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("aborted"))));
}

async function happened(run: { readonly id: string }): Promise<string[]> {
  const events = await ledger.store.fetchEvents(run.id);
  return events.map(({ eventType, stepId, logicalAttemptId }) =>
    stepId === undefined ? eventType : `${eventType} ${stepId}#${logicalAttemptId}`,
  );
}

async function untilStarted(run: { events(): AsyncIterable<{ eventType: string; stepId?: string }> }, id: string) {
  for await (const { eventType, stepId } of run.events()) if (eventType === "StepStarted" && stepId === id) return;
}

test("a container that times out aborts and awaits its steps, then fails", { tags: ["E-10"] }, async () => {
  const made = workflow("slow-items", { version: "1" }, (w) => {
    const each = w.forEach("each", { items: () => [1, 2], timeout: "50ms" }, (w) => w.step("slow", forEver));
    return w.step("next", { after: [each] }, () => 1);
  });
  await ledger.worker({ workflows: [made], pollMs: 5 });
  const run = await ledger.start(made);
  await expect(run.result()).rejects.toThrow(/because of each: TIMEOUT/);
  expect((await happened(run)).slice(5)).toEqual([
    "SignalAccepted",
    "StepFailed each/0/slow#1",
    "StepFailed each/1/slow#1",
    "StepFailed each#1",
    "StepSkipped next#1",
    "RunFailed",
  ]);
});

test("SKIP_STEP aborts a running step, and its dependents run with null", async () => {
  const made = workflow("skipped", { version: "1" }, (w) => {
    const slow = w.step("slow", forEver);
    return w.step("next", { needs: { slow } }, ({ needs }) => ({ got: needs.slow }));
  });
  await ledger.worker({ workflows: [made], pollMs: 5 });
  const run = await ledger.start(made);
  await untilStarted(run, "slow");
  await ledger.act(run.id, "SKIP_STEP", { stepId: "slow" });
  expect(await run.result()).toEqual({ got: null });
  expect(await happened(run)).toEqual(expect.arrayContaining(["StepFailed slow#1", "StepSkipped slow#2"]));
});

test("D9: CANCEL reaches the child, which compensates before the parent finishes", { tags: ["E-14"] }, async () => {
  const undone: string[] = [];
  const kid = workflow("kid", { version: "1" }, (w) => {
    const a = w.step("a", {}, () => 1, { compensate: () => void undone.push("a") });
    w.waitForSignal("never", { after: [a] });
  });
  const made = workflow("parent", { version: "1" }, (w) => {
    w.child("kid", kid);
  });
  await ledger.worker({ workflows: [made, kid], pollMs: 5 });
  const run = await ledger.start(made);
  await untilStarted(run, "kid");
  const childRunId = (await run.snapshot()).steps[0]!.opened!.childRunId!;
  await untilStarted(await ledger.get(kid, childRunId), "never");
  await ledger.act(run.id, "CANCEL");
  await run.result().catch(() => {});
  expect((await run.snapshot()).status).toBe("CANCELLED");
  expect((await (await ledger.get(kid, childRunId)).snapshot()).status).toBe("CANCELLED");
  expect(undone).toEqual(["a"]);
});

test("K4: RETRY_RUN of a finished run runs only failed items and their dependents", async () => {
  let broken = true;
  const made = workflow("retried", { version: "1" }, (w) => {
    const each = w.forEach("each", { items: () => [1, 2, 3] }, (w) =>
      w.step("one", ({ item }) => {
        if (broken && item === 2) throw new Error("no");
        return item * 2;
      }),
    );
    return w.step("all", { needs: { each } }, ({ needs }) => needs.each.toArray());
  });
  await ledger.worker({ workflows: [made], pollMs: 5 });
  const run = await ledger.start(made);
  await expect(run.result()).rejects.toThrow(/because of each\/1\/one/);
  broken = false;
  await ledger.act(run.id, "RETRY_RUN");
  expect(await run.result()).toEqual([2, 4, 6]);
  const starts = (await happened(run)).filter((line) => line.startsWith("StepStarted") && !line.endsWith("#1"));
  expect(starts).toEqual(["StepStarted each#2", "StepStarted each/1/one#2", "StepStarted all#2"]);
});
