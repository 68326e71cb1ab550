// @module-tag R-43
/** Errors that a newcomer meets name the value, the limit or the step, and what to do. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { runWorkflow } from "@runledger/test-support/run-workflow";
import { connect, workflow, type Ledger, type Workflow } from "../index.js";

let ledger: Ledger;
beforeAll(async () => {
  ledger = await connect("memory:");
});
afterAll(() => ledger.close());

async function failureOf(flow: unknown): Promise<unknown> {
  const { data } = await runWorkflow(ledger, flow as Workflow<undefined, unknown, unknown>);
  return data("StepFailed", "a")["error"];
}

test("a refused action names itself, the status of the run, and the command that helps", async () => {
  const fails = workflow("fails", { version: "1" }, (w) =>
    w.step("a", () => {
      throw new Error("no");
    }),
  );
  const { runId } = await runWorkflow(ledger, fails);
  await expect(ledger.act(runId, "CANCEL")).rejects.toThrow(
    `CANCEL was refused: run ${runId} is FAILED. To run it again: runledger retry ${runId}`,
  );
  await expect(ledger.signal(runId, "go", {})).rejects.toThrow(`Signal go was refused: run ${runId} is FAILED.`);
  const { runId: done } = await runWorkflow(
    ledger,
    workflow("done", { version: "1" }, (w) => w.step("a", () => 1)),
  );
  await expect(ledger.act(done, "PAUSE")).rejects.toThrow(`run ${done} is COMPLETED. Start another run instead.`);
  await expect(ledger.act(done, "RETRY_RUN")).rejects.toThrow(
    `RETRY_RUN was refused: there is nothing to retry in run ${done}.`,
  );
});

test("a missing secret names the variable, and a missing connection the configuration", async () => {
  const secret = workflow("needs-secret", { version: "1" }, (w) =>
    w.step("a", ({ secrets }) => secrets.get("API_TOKEN")),
  );
  expect(await failureOf(secret)).toMatchObject({
    code: "SECRET_NOT_FOUND",
    message: "secret API_TOKEN: is not set. Set RUNLEDGER_SECRET_API_TOKEN where the worker runs.",
  });
  const sql = workflow("needs-connection", { version: "1" }, (w) => w.sql("a", { text: "SELECT 1" }));
  expect(await failureOf(sql)).toMatchObject({
    code: "NO_CONNECTION",
    message: `This worker has no connection "default". Add worker.connections.default to runledger.config.ts.`,
  });
});

test("an output that is too large names both sizes and how to store it", async () => {
  const large = workflow("large", { version: "1" }, (w) => w.step("a", () => "x".repeat(65 * 1024 * 1024)));
  expect(await failureOf(large)).toMatchObject({
    code: "PAYLOAD_TOO_LARGE",
    message:
      'The output is 66561 KB, the limit is 65536 KB. Store it as an artifact: return await artifact.write("rows", text)',
  });
});

test("a version that is taken names the steps that differ", async () => {
  const saga = (...steps: string[]) =>
    workflow("saga", { version: "1" }, (w) => {
      for (const step of steps) w.step(step, () => 1);
    });
  await ledger.start(saga("book-flight", "pay"));
  await expect(ledger.start(saga("book-plane", "pay"))).rejects.toThrow(
    "1 of saga is published with other steps (+ book-plane, - book-flight), and runs may depend on it. " +
      "Give it a new version, or leave version out while you develop.",
  );
  const slow = workflow("saga", { version: "1" }, (w) => {
    w.step("book-flight", { timeout: "1m" }, () => 1);
    w.step("pay", () => 1);
  });
  await expect(ledger.start(slow)).rejects.toThrow("other steps (~ book-flight)");
  const approved = workflow("saga", { version: "1", approval: true }, (w) => {
    w.step("book-flight", () => 1);
    w.step("pay", () => 1);
  });
  await expect(ledger.start(approved)).rejects.toThrow("is published with other options, and runs");
});

test("a folder that is passed as a store shows its URL", async () => {
  await expect(connect("./.runledger")).rejects.toMatchObject({
    code: "STORE_URL_INVALID",
    message: "url: ./.runledger is not a URL. A folder is written embedded:./.runledger",
  });
  await expect(connect("mysql://db")).rejects.toThrow("no store is known as mysql:.");
});

test("unknown options of a worker and of connect are refused with the nearest name", async () => {
  await expect(ledger.worker({ workflows: [], concurency: 2 } as never)).rejects.toMatchObject({
    code: "OPTION_INVALID",
    message: "ledger.worker: concurency is not an option. Did you mean concurrency?",
  });
  await expect(connect("memory:", { retryMs: 1 } as never)).rejects.toThrow("connect: retryMs is not an option.");
});
