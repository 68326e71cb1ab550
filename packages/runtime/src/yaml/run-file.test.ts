// @module-tag E-02
/** Runs a workflow file that uses every field of the format. */
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { connect, EnvSecrets, loadWorkflow, workflow, type Ledger, type Runner } from "../index.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { freshDatabase, type FreshDatabase } from "@runledger/test-support/fresh-database";

interface Request {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

const requests: Request[] = [];
const server: Server = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on("data", (part: Buffer) => parts.push(part));
  request.on("end", () => {
    const { method, url, headers } = request;
    requests.push({ method, url, headers, body: Buffer.concat(parts).toString() });
    response.writeHead(201, { "content-type": "application/json" }).end("{}");
  });
});

/** Returns twice `n`, or `all` if it is there. */
const double: Runner = async ({ options: { n, all } }) => all ?? Number(n) * 2;

let ledger: Ledger;
let database: FreshDatabase;
let text: string;
const billing = workflow("billing", { version: "1", input: z.object({ orders: z.array(z.number()) }) }, (w) =>
  w.step("bill", ({ input }) => ({ billed: input.orders.length })),
);

beforeAll(async () => {
  [ledger, database] = await Promise.all([connect("memory:"), freshDatabase()]);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const fixture = readFileSync(new URL("all-kinds.fixture.yaml", import.meta.url), "utf8");
  text = fixture.replace("https://example.com", address);
});
afterAll(async () => {
  await ledger.close();
  await database.drop();
  server.close();
});

describe("a file with every field of the format", () => {
  test("completes", async () => {
    const made = await loadWorkflow(text, { kinds: ["double"] });
    await ledger.worker({
      workflows: [made, billing],
      pollMs: 5,
      connections: { default: database.url },
      runners: { double },
      secrets: new EnvSecrets({ RUNLEDGER_SECRET_TOKEN: "secret-of-the-test" }),
    });
    const run = await ledger.start(made, { input: { day: "2026-11-14" } });
    await run.signal("release", { by: "you" });
    expect(await run.result()).toEqual({
      each: [2, 8, 14],
      big: 2,
      poll: 4,
      by: "you",
      late: true,
      billed: 3,
      status: 201,
    });
  });

  test("the HTTP request matches the file", () => {
    const [request] = requests;
    expect(request).toMatchObject({ method: "POST", url: "/api/orders/2026-11-14?count=3" });
    expect(request?.headers).toMatchObject({ "x-day": "2026-11-14", authorization: "secret-of-the-test" });
    expect(JSON.parse(request!.body)).toEqual({
      names: ["a", "bb", "ccc"],
      fixed: [1, true, null],
      kept: { cel: "x" },
    });
  });

  test("its schemas refuse an invalid input and an invalid payload", async () => {
    const made = await loadWorkflow(text, { kinds: ["double"] });
    await expect(ledger.start(made, { input: { day: 5 } })).rejects.toMatchObject({
      code: "SCHEMA_MISMATCH",
      field: "input.day",
    });
    const run = await ledger.start(made, { input: { day: "x" } });
    await expect(run.signal("release", { by: 5 })).rejects.toMatchObject({ code: "SCHEMA_MISMATCH" });
  });

  test("defaults of the input are applied", async () => {
    const made = await loadWorkflow(text, { kinds: ["double"] });
    const run = await ledger.start(made, { input: { day: "x" } });
    const [queued] = await ledger.store.fetchEvents(run.id, { limit: 1 });
    expect(queued?.eventData).toMatchObject({ input: { day: "x", limit: 2 }, state: { seen: 0 } });
  });
});

describe("errors at run time", () => {
  async function errorOf(step: string, input: unknown = {}): Promise<unknown> {
    const made = await loadWorkflow(`workflow: wrong\nsteps:\n  - { id: a, retry: { attempts: 3 }, ${step} }\n`, {
      name: "plan.yaml",
    }).catch(() => loadWorkflow(`workflow: wrong\nsteps:\n  - { id: a, ${step} }\n`, { name: "plan.yaml" }));
    await ledger.worker({ workflows: [made], pollMs: 5 });
    const run = await ledger.start(made, input as never);
    await run.result().catch(() => {});
    return (await run.snapshot()).error;
  }

  test.each([
    ["when: input.x, then: []", { x: "text" }, "Expression returned string, not true or false."],
    ["forEach: input.x, steps: []", { x: 5 }, "Expression returned number, not a list."],
    ["sleep: { until: input.x }", { x: "soon" }, "until must return an ISO 8601 time"],
    ["command: [echo, { cel: input.x }]", { x: ["a", "b"] }, "Expression returned a list, not text."],
    ["command: [echo, { cel: input.x }]", { x: null }, "Expression returned null, not text."],
    ["command: [echo, { cel: input.x }]", { x: {} }, "Expression returned an object, not text."],
    ["command: [echo, { cel: input.y }]", { x: 1 }, "No such key: y."],
    ['http: { url: "http://127.0.0.1:1", path: [{ cel: input.x }] }', { x: ".." }, "which is not a path segment"],
  ])("%s with %j fails without a retry, and names its position", async (step, input, message) => {
    const error = (await errorOf(step, input)) as { code: string; message: string; retryable: boolean };
    expect(error.message).toContain(message);
    expect(error.retryable).toBe(false);
    if (error.code === "EXPRESSION_FAILED") expect(error.message).toMatch(/^plan\.yaml:3:\d+: /);
  });
});
