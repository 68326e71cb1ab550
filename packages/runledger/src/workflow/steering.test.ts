/** Steps with steps or runs in them, stopped and retried from outside: what `decide` says, carried out by a worker. */
import { connect, workflow, type Ledger } from "runledger";
import { afterAll, beforeAll, expect, test } from "vitest";

let ledger: Ledger;
beforeAll(async () => {
  ledger = await connect("memory:");
});
afterAll(() => ledger.close());

/** Ends only when it is told to. */
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

test("[E-10] a container that is out of time: what runs in it is aborted and awaited, then it fails", async () => {
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

test("[E-16] SKIP_STEP of a step that runs: it is aborted, and its dependents run with null", async () => {
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

test("[E-14] D9: CANCEL goes down to the child, which undoes its steps before the parent ends", async () => {
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

test("[E-16] K4: RETRY_RUN of a finished run runs the items that failed and what waited for them, nothing else", async () => {
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
