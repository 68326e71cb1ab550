import { compilePlan } from "@runledger/core";
import { connect, StepError, type Ledger, type Runner, type Workflow } from "runledger";
import { afterEach, beforeEach, expect, test } from "vitest";
import { logOf, runWorkflow } from "../../../../tests/support/run-workflow.js";
import { attach } from "../workflow/compiled-workflow.js";

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

test("[E-04] a runner of the user's own gets the plan's options and the step's tools, and may ask for another try", async () => {
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

test("[E-04] a runner may take the place of one that comes with Runledger", async () => {
  const http: Runner = async ({ step }) => ({ asked: step.options as object });
  const { data } = await runWorkflow(ledger, ownKind("http", { url: "nowhere" }), { runners: { http } });
  expect(data("StepCompleted", "own")["output"]).toEqual({ asked: { url: "nowhere" } });
});

test("[E-04] a kind that this worker cannot run fails for good, and says so", async () => {
  const { data } = await runWorkflow(ledger, ownKind("mail", {}));
  expect(data("StepFailed", "own")["error"]).toMatchObject({ code: "NO_RUNNER", retryable: false });
});
