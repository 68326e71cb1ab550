// @module-tag B-21
import { pino } from "pino";
import { describe, expect, test } from "vitest";
import { connect, workflow, type Logger } from "../index.js";
import { errorFields, logAlert, logFault } from "./log-handlers.js";
import { newLogger, type LogLevel } from "./logger.js";
import { levelOf } from "./process-logger.js";

function recorder(level: LogLevel = "debug") {
  const lines: Record<string, unknown>[] = [];
  const write = (line: string): void => void lines.push(JSON.parse(line) as Record<string, unknown>);
  return { lines, logger: newLogger({ level, write }) };
}

describe("a line", () => {
  test("is a JSON object with level, time, process, ids and message", () => {
    const { lines, logger } = recorder();
    logger.info({ runId: "run_1", stepId: "load", attempt: 2, tenantId: "acme", traceId: "t" }, "Step load failed.");
    expect(lines).toEqual([
      {
        level: "info",
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) as string,
        pid: process.pid,
        runId: "run_1",
        stepId: "load",
        attempt: 2,
        tenantId: "acme",
        traceId: "t",
        msg: "Step load failed.",
      },
    ]);
  });

  test("is left out below the level", () => {
    const { lines, logger } = recorder("warn");
    logger.debug({}, "one");
    logger.info({}, "two");
    logger.warn({}, "three");
    logger.error({}, "four");
    expect(lines.map(({ msg }) => msg)).toEqual(["three", "four"]);
    recorder("silent").logger.error({}, "nothing");
  });

  test("has no credentials, neither in fields nor in addresses", () => {
    const { lines, logger } = recorder();
    const err = errorFields(new Error("cannot reach postgres://ada:hunter2@db.example/orders"));
    logger.error({ authorization: "Bearer abc", request: { token: "abc" }, err }, "failed");
    const text = JSON.stringify(lines);
    expect(text).not.toMatch(/hunter2|abc/);
    expect(text).toContain("postgres://ada:[redacted]@db.example/orders");
  });
});

test("an alert is an error if an operator must act, and a warning otherwise", () => {
  const { lines, logger } = recorder();
  logAlert(logger)({ code: "EVENTS_LOST", severity: "critical", runId: "run_1", message: "Events were lost." });
  logAlert(logger)({ code: "RUN_ISOLATED", message: "Run run_1 is driven alone." });
  expect(lines).toMatchObject([
    { level: "error", alert: "EVENTS_LOST", severity: "critical", runId: "run_1", msg: "Events were lost." },
    { level: "warn", alert: "RUN_ISOLATED", severity: "warning" },
  ]);
});

test("a fault that repeats is logged once per minute and run", () => {
  const { lines, logger } = recorder();
  const log = logFault("worker", logger);
  for (let times = 0; times < 3; times++) log(new Error("broken"), { runId: "run_1" });
  log(new Error("broken"), { runId: "run_2" });
  expect(lines).toMatchObject([
    { part: "worker", runId: "run_1", msg: "broken", err: { type: "Error", stack: expect.any(String) as string } },
    { runId: "run_2" },
  ]);
});

test("an unknown level is refused", () => {
  expect(levelOf("")).toBeUndefined();
  expect(() => levelOf("loud")).toThrow("loud is not a level. Use one of debug, info, warn, error, silent.");
});

describe("the logger of a ledger", () => {
  const secret = "a-very-long-secret";
  const flow = workflow("flow", { version: "1" }, (w) =>
    w.step("work", async ({ secrets }) => {
      throw new Error(`refused ${await secrets.get("word")}`);
    }),
  );

  async function runWith(logger: Logger): Promise<string> {
    await using ledger = await connect("memory:", { logger });
    const secrets = { resolve: async () => ({ word: secret }) };
    await ledger.worker({ workflows: [flow], secrets });
    const run = await ledger.start(flow, { tenantId: "acme" });
    await run.result().catch(() => {});
    return run.id;
  }

  test("receives failed attempts with their ids and without secrets", async () => {
    const { lines, logger } = recorder();
    const runId = await runWith(logger);
    expect(lines).toMatchObject([{ level: "info", runId, stepId: "work", attempt: 1, tenantId: "acme" }]);
    expect(lines[0]!["msg"]).toBe("Attempt 1 of step work failed: refused [secret word]");
    expect(JSON.stringify(lines)).not.toContain(secret);
  });

  test("can be a logger of pino", async () => {
    let text = "";
    const runId = await runWith(pino({}, { write: (line: string) => void (text += line) }));
    expect(text).toContain(`"runId":"${runId}"`);
  });
});
