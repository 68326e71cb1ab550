// @module-tag E-04
import { compilePlan } from "@runledger/core";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { connect, workflow, type Ledger, type Workflow } from "../../index.js";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { freshDatabase, type FreshDatabase } from "@runledger/test-support/fresh-database";
import { runWorkflow } from "@runledger/test-support/run-workflow";
import { attach } from "../../workflow/compiled-workflow.js";

let database: FreshDatabase;
let admin: Client;
let ledger: Ledger;

beforeAll(async () => {
  database = await freshDatabase();
  admin = new Client({ connectionString: database.url });
  await admin.connect();
  await admin.query("CREATE TABLE orders (id integer PRIMARY KEY, name text, total numeric, at timestamptz)");
});
afterAll(async () => {
  await admin.end();
  await database.drop();
});
beforeEach(async () => {
  ledger = await connect("memory:");
  await admin.query("TRUNCATE orders");
});
afterEach(() => ledger.close());

/** One statement with three attempts on the connection `default`. */
function saying(text: string, more: object = {}) {
  const options = { text, retry: { attempts: 3, delay: "10ms" as const }, ...more };
  return workflow("saying", {}, (w) => w.sql("say", options as { text: string }));
}
const on = (flow: Workflow<never, unknown, unknown>) =>
  runWorkflow(ledger, flow, { connections: { default: database.url } });
const failures = (events: readonly { eventType: string }[]): number =>
  events.filter(({ eventType }) => eventType === "StepFailed").length;
const running = async (text: string): Promise<number> => {
  const { rows } = await admin.query("SELECT 1 FROM pg_stat_activity WHERE query = $1 AND state = 'active'", [text]);
  return rows.length;
};

test("sql: values are bound, and rows are returned as JSON", async () => {
  const name = "Robert'); DROP TABLE orders; --";
  const text =
    "INSERT INTO orders VALUES ($1, $2, $3, $4) RETURNING *, 0.1::float8 AS f, 9007199254740993 AS big, true AS b, '{\"a\":[1]}'::jsonb AS j";
  const flow = saying(text, { params: () => [1, name, "12.340", "2026-11-14T08:00:00.123456Z"] });
  const { data } = await on(flow);
  const [row] = data("StepCompleted", "say")["output"] as [Record<string, unknown>];
  expect(row).toMatchObject({ id: 1, name, total: "12.340", f: 0.1, big: "9007199254740993", b: true, j: { a: [1] } });
  expect(row["at"]).toMatch(/^2026-11-14 \d\d:00:00\.123456\+\d\d$/);
  expect((await admin.query("SELECT name FROM orders")).rows).toEqual([{ name }]);
});

test("sql: several statements are refused", async () => {
  const { data, events } = await on(saying("SELECT 1; DELETE FROM orders"));
  expect(data("StepFailed", "say")["error"]).toMatchObject({ code: "42601", retryable: false });
  expect(failures(events)).toBe(1);
});

test("sql: the SQLSTATE is the error's code, and only transient errors are retried", async () => {
  await admin.query("INSERT INTO orders (id) VALUES (1)");
  const duplicate = await on(saying("INSERT INTO orders (id) VALUES (1)"));
  expect(duplicate.data("StepFailed", "say")["error"]).toMatchObject({ code: "23505", retryable: false });
  expect(failures(duplicate.events)).toBe(1);
  const conflict = await on(saying("DO $$ BEGIN RAISE EXCEPTION 'no luck' USING ERRCODE = '40001'; END $$"));
  expect(conflict.data("StepFailed", "say")["error"]).toMatchObject({ code: "40001", message: "no luck" });
  expect(failures(conflict.events)).toBe(3);
});

test("sql: an unavailable server is retried, an unknown connection is not", async () => {
  const flow = saying("SELECT 1");
  const url = "postgres://nobody@127.0.0.1:1/nothing";
  const away = await runWorkflow(ledger, flow, { connections: { default: url } });
  expect(away.data("StepFailed", "say")["error"]).toMatchObject({ code: "SQL_UNREACHABLE", retryable: true });
  expect(failures(away.events)).toBe(3);
  const unnamed = await on(saying("SELECT 1", { connection: "warehouse" }));
  expect(unnamed.data("StepFailed", "say")["error"]).toMatchObject({ code: "NO_CONNECTION", retryable: false });
});

test("sql: a killed backend costs one attempt", async () => {
  const text = "SELECT pg_terminate_backend(pg_backend_pid()) WHERE NOT EXISTS (SELECT FROM orders)";
  const flow = workflow("killed", {}, (w) => {
    const killed = w.sql("killed", { text, retry: { attempts: 2, delay: "500ms" } });
    return w.sql("after", { after: [killed], text: "SELECT 1 AS one" });
  });
  const ended = on(flow);
  while ((await admin.query("SELECT 1 FROM orders")).rows.length === 0) {
    const [head] = await ledger.store.listHeads();
    const events = head === undefined ? [] : await ledger.store.fetchEvents(head.runId);
    if (failures(events) === 1) await admin.query("INSERT INTO orders (id) VALUES (1)");
    await sleep(10);
  }
  const { data } = await ended;
  expect(data("StepFailed", "killed")["error"]).toMatchObject({ code: "57P01", retryable: true });
  expect(data("StepCompleted", "after")["output"]).toEqual([{ one: 1 }]);
});

test("sql: a timeout or a cancelled run cancels the statement on the server", async () => {
  const late = "SELECT pg_sleep(3600), 'late'";
  const { data } = await on(saying(late, { timeout: "500ms", retry: { attempts: 1 } }));
  expect(data("StepFailed", "say")["error"]).toMatchObject({ code: "TIMEOUT" });
  await expect.poll(() => running(late)).toBe(0);

  const unwanted = "SELECT pg_sleep(3600), 'unwanted'";
  const flow = saying(unwanted);
  await ledger.worker({ workflows: [flow], connections: { default: database.url } });
  const run = await ledger.start(flow);
  while ((await running(unwanted)) === 0) await sleep(10);
  await run.act("CANCEL");
  while ((await run.snapshot()).status !== "CANCELLED") await sleep(10);
  await expect.poll(() => running(unwanted)).toBe(0);
});

test("sql: the server gets the step's timeout and idempotency key", async () => {
  const text =
    "SELECT current_setting('statement_timeout') AS timeout, current_setting('runledger.idempotency_key') AS key";
  const { data } = await on(saying(text, { timeout: "7s" }));
  const [row] = data("StepCompleted", "say")["output"] as [Record<string, string>];
  expect(row).toEqual({ timeout: "8s", key: expect.stringMatching(/^[0-9a-f]{64}$/) as string });
});

test.each([
  ["rows", "INSERT INTO orders (id) SELECT generate_series(1, 20000) RETURNING id"],
  ["bytes", "INSERT INTO orders (id, name) SELECT n, repeat('x', 1000) FROM generate_series(1, 300) n RETURNING *"],
])("sql: too many %s are refused, and the statement is rolled back", async (_what, text) => {
  const { data, events } = await on(saying(text));
  expect(data("StepFailed", "say")["error"]).toMatchObject({ code: "SQL_RESULT_TOO_LARGE", retryable: false });
  expect(failures(events)).toBe(1);
  while ((await running(text)) > 0) await sleep(10);
  expect((await admin.query("SELECT id FROM orders LIMIT 1")).rows).toEqual([]);
});

const CROWD = "SELECT pg_sleep(3600), 'crowd'";

test("sql: a timeout also ends the wait for a connection", async () => {
  const flow = workflow("crowd", {}, (w) => {
    w.forEach("all", { items: () => Array.from({ length: 14 }, (_, i) => i) }, (b) =>
      b.sql("sleep", { text: CROWD, timeout: "1s" }),
    );
  });
  const { events } = await on(flow);
  const codes = events.flatMap(({ eventType, stepId, eventData }) =>
    eventType === "StepFailed" && stepId?.endsWith("/sleep") === true
      ? [(eventData as unknown as FailedData).error.code]
      : [],
  );
  expect(codes).toEqual(Array(14).fill("TIMEOUT"));
  await expect.poll(() => running(CROWD)).toBe(0);
});

interface FailedData {
  readonly error: { readonly code: string };
}

test.each([
  [true, "25001"],
  [false, undefined],
])("sql: VACUUM with transaction: %s", async (transaction, code) => {
  const step = { id: "say", kind: "sql", options: { text: "VACUUM orders", transaction } };
  const plan = compilePlan({ id: "vacuum", version: "1", body: { steps: [step] } });
  const made = { id: "vacuum", version: "1" };
  attach(made, { plan, closures: new Map(), input: undefined, signals: {}, initialState: undefined });
  const { events } = await on(made as unknown as Workflow<never, unknown, unknown>);
  const failed = events.find(({ eventType }) => eventType === "StepFailed");
  expect((failed?.eventData as unknown as FailedData | undefined)?.error.code).toBe(code);
});
