// @module-tag E-04
import type { StepOutput } from "@runledger/contracts";
import { compilePlan } from "@runledger/core";
import { connect, StepError, workflow, type Ledger, type Runner, type Workflow } from "../index.js";
import { afterEach, beforeEach, expect, test } from "vitest";
import { logOf, runWorkflow } from "@runledger/test-support/run-workflow";
import { attach } from "../workflow/compiled-workflow.js";

const plain = workflow("plain", { version: "1" }, (w) => w.step("only", () => 1));
let ledger: Ledger;
beforeEach(async () => {
  ledger = await connect("memory:");
});
afterEach(() => ledger.close());

/** A workflow of one step of a kind of the user's own. */
function ownKind(kind: string, options: object): Workflow<undefined, unknown, unknown> {
  const step = { id: "own", kind, options: options as never, retry: { attempts: 2, delay: "10ms" as const } };
  const plan = compilePlan({ id: "own", version: "1", body: { steps: [step], output: "own" } }, { kinds: [kind] });
  const made = { id: "own", version: "1" };
  attach(made, { plan, closures: new Map(), input: undefined, signals: {}, initialState: undefined });
  return made as unknown as Workflow<undefined, unknown, unknown>;
}

test("a runner of the user's own gets the plan's options and the step's tools, and may ask for another try", async () => {
  const mail: Runner = async ({ step, context }) => {
    const { to } = step.options as { to: string };
    context.log(`mail to ${to}`);
    if (context.attempt === 1) throw new StepError("MAILBOX_FULL", "later, please", { retryAfterMs: 50 });
    return { to, key: context.idempotencyKey, attempt: context.attempt };
  };
  const { data, runId } = await runWorkflow(ledger, ownKind("mail", { to: "you" }), { runners: { mail } });
  expect(data("StepFailed", "own")["error"]).toMatchObject({ code: "MAILBOX_FULL", retryable: true });
  expect(data("StepCompleted", "own")["output"]).toEqual({
    to: "you",
    key: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    attempt: 2,
  });
  expect((await logOf(ledger.store, runId, "own")).map(({ text }) => text)).toEqual(["mail to you"]);
});

test("D10: a runner returns a StepOutput, which becomes the event of its status", { tags: ["R-10"] }, async () => {
  const ref = { uri: "s3://reports/1", kind: "report" };
  const results: StepOutput[] = [
    { status: "FAILED", artifactRefs: [ref], error: { category: "UPSTREAM", message: "later, please" } },
    { status: "SUCCESS", output: { rows: 3 }, artifactRefs: [ref] },
  ];
  const load: Runner = async ({ context }) => results[context.attempt - 1];
  const { data } = await runWorkflow(ledger, ownKind("load", {}), { runners: { load } });
  expect(data("StepFailed", "own")).toMatchObject({
    error: { code: "UPSTREAM", message: "later, please", retryable: true },
    artifacts: [ref],
  });
  expect(data("StepCompleted", "own")).toEqual({ output: { rows: 3 }, artifacts: [ref] });
});

test("D10: a failed StepOutput that cannot be retried fails the run", { tags: ["R-10"] }, async () => {
  const error = { category: "INPUT", code: "NO_SUCH_TABLE", message: "no table orders", retryable: false };
  const load: Runner = async () => ({ status: "FAILED", artifactRefs: [], error }) satisfies StepOutput;
  const { data } = await runWorkflow(ledger, ownKind("load", {}), { runners: { load } });
  expect(data("StepFailed", "own")).not.toHaveProperty("retryAt");
  expect(data("RunFailed")["error"]).toMatchObject({ code: "NO_SUCH_TABLE", message: "no table orders" });
});

test("D10: a skipped StepOutput skips the step, and the run continues", { tags: ["R-10"] }, async () => {
  const error = { category: "FRESH", message: "up to date" };
  const load: Runner = async () => ({ status: "SKIPPED", artifactRefs: [], error }) satisfies StepOutput;
  const { data, events } = await runWorkflow(ledger, ownKind("load", {}), { runners: { load } });
  expect(data("StepSkipped", "own")).toEqual({ reason: "up to date" });
  expect(events.at(-1)?.eventType).toBe("RunCompleted");
});

test("a runner may take the place of one that comes with Runledger", async () => {
  const http: Runner = async ({ step }) => ({ asked: step.options as object });
  const { data } = await runWorkflow(ledger, ownKind("http", { url: "nowhere" }), { runners: { http } });
  expect(data("StepCompleted", "own")["output"]).toEqual({ asked: { url: "nowhere" } });
});

test("a run whose step has no runner waits with the reason for a worker that has one", { tags: ["R-07"] }, async () => {
  const flow = ownKind("mail", {});
  const faults: unknown[] = [];
  const onFault = ({ error }: { readonly error: unknown }): void => void faults.push(error);
  await ledger.worker({ workflows: [flow, plain], onFault });
  expect(faults.map(String)).toEqual([
    "Error: This worker does not claim runs of own 1: it has no runner for steps of kind mail. Add one to the worker's runners.",
  ]);
  const run = await ledger.start(flow, {});
  await (await ledger.start(plain)).result(); // the worker has polled
  expect((await run.snapshot())?.status).toBe("PENDING");
  expect(await ledger.queue.why(run.id)).toMatchObject({
    reasons: [{ kind: "worker", message: "no worker for own 1, which needs a runner for mail" }],
  });
  await ledger.worker({ workflows: [flow], runners: { mail: async () => "sent" } });
  expect(await run.result()).toBe("sent");
});

test("a run whose child is unknown waits with the reason for a worker that has it", { tags: ["R-07"] }, async () => {
  const parent = workflow("parent", { version: "1" }, (w) => w.child("inner", plain));
  await ledger.worker({ workflows: [parent], onFault: () => {} });
  const run = await ledger.start(parent);
  expect(await ledger.queue.why(run.id)).toMatchObject({
    reasons: [{ kind: "worker", message: "no worker for parent 1, which needs workflow plain 1" }],
  });
  await ledger.worker({ workflows: [plain, parent] });
  expect(await run.result()).toBe(1);
});
