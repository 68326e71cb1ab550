// @module-tag R-40
/** The stack and the causes of an error, as callers of the HTTP API see them. */
import { readEventData, type StepFailedData } from "@runledger/contracts";
import { EnvSecrets, workflow } from "@runledger/runtime";
import { expect, test } from "vitest";
import { testServer, type TestServer } from "@runledger/test-support/test-server";

const PASSWORD = "correct-horse-battery";

function connectToWarehouse(password: string): never {
  const refused = Object.assign(new Error(`refused ${password}`, { cause: { port: 5432 } }), { code: "ECONNREFUSED" });
  throw new Error(`cannot connect with ${password}`, { cause: refused });
}

const loading = workflow("loading", { version: "1" }, (w) =>
  w.step("load", { retry: { attempts: 2, delay: "1ms" } }, async ({ secrets }) =>
    connectToWarehouse(await secrets.get("PASSWORD")),
  ),
);
const choosing = workflow("choosing", { version: "1" }, (w) =>
  w.when("big", { if: () => connectToWarehouse("…") }, (w) => w.step("one", () => 1)),
);
const endless = workflow("endless", { version: "1" }, (w) =>
  w.step("throw", () => {
    let error = new Error("x".repeat(100_000));
    for (let depth = 0; depth < 50; depth++) error = new Error("y".repeat(100_000), { cause: error });
    throw error;
  }),
);

async function failuresOf(
  { ledger, client }: TestServer,
  flow: Parameters<TestServer["ledger"]["start"]>[0],
  step: string,
) {
  const run = await ledger.start(flow as typeof choosing);
  await run.result().catch(() => {});
  const { events } = await client.getStep(run.id, step);
  const failures = events.filter(({ eventType }) => eventType === "StepFailed");
  return { run, failures: failures.map(({ eventData }): StepFailedData => readEventData("StepFailed", eventData)) };
}

test("each failed attempt keeps stack and causes, without secrets and without frames of the engine", async () => {
  const here = await testServer([loading]);
  await here.ledger.worker({
    workflows: [loading],
    secrets: new EnvSecrets({ RUNLEDGER_SECRET_PASSWORD: PASSWORD }),
  });
  const { run, failures } = await failuresOf(here, loading, "load");
  expect(failures).toHaveLength(2);
  for (const { error, stack, cause } of failures) {
    expect(error.message).toBe("cannot connect with [secret PASSWORD]");
    expect(stack).toMatch(/^at connectToWarehouse \(.*failures\.test\.ts/);
    expect(stack).not.toMatch(/node:|execute-step/);
    expect(cause).toMatchObject({ code: "ECONNREFUSED", message: "refused [secret PASSWORD]" });
    expect([cause?.stack?.slice(0, 21), cause?.cause]).toEqual([
      "at connectToWarehouse",
      { message: "{ port: 5432 }" },
    ]);
  }
  const { error, ...header } = await here.client.getRun(run.id);
  expect(error).toEqual({ code: "STEP_ERROR", message: "cannot connect with [secret PASSWORD]", retryable: true });
  expect(JSON.stringify([header, await here.client.listSteps(run.id)])).not.toContain("connectToWarehouse");
  expect(JSON.stringify(await here.client.listEvents(run.id, { payloads: false }))).not.toContain("connectToWarehouse");
});

test("a condition that throws keeps its stack, and a long chain of causes fits into the event", async () => {
  const here = await testServer([choosing, endless]);
  await here.ledger.worker({ workflows: [choosing, endless] });
  const chosen = await failuresOf(here, choosing, "big");
  expect(chosen.failures).toMatchObject([{ stack: expect.stringContaining("connectToWarehouse") as string }]);
  const { failures } = await failuresOf(here, endless, "throw");
  expect(failures).toHaveLength(1);
  expect(JSON.stringify(failures).length).toBeLessThan(64 * 1024);
  let causes = 0;
  for (let { cause } = failures[0]!; cause !== undefined; cause = cause.cause) causes++;
  expect(causes).toBe(5);
});
