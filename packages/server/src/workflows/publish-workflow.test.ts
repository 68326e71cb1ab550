// @module-tag U-15
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { workflow } from "@runledger/runtime";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { ALL_TENANTS, type AccessRole, type JsonObject } from "@runledger/contracts";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { testServer, type TestServer } from "@runledger/test-support/test-server";
import { createApiKey } from "../auth/api-keys.js";

const greeting = {
  input: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
  signals: { go: { type: "object", properties: { by: { type: "string" } }, required: ["by"] } },
  steps: [
    { id: "wait", wait: "go" },
    { id: "say", needs: ["wait"], when: "input.name == 'you'", then: [{ id: "rest", sleep: "1ms" }] },
  ],
};

async function published() {
  const database = await freshDatabase();
  onTestFinished(() => database.drop());
  return testServer([], { store: database.url });
}

async function keyOf({ ledger }: TestServer, tenantId: string, role: AccessRole): Promise<Record<string, string>> {
  const params = { name: role, role, tenantId, ttlMs: null, createdBy: "test" };
  const { text } = await createApiKey(ledger.store.access, params);
  return { authorization: `Bearer ${text}` };
}

test(
  "a workflow can be published over HTTP, started with a checked input, and run by a worker",
  { tags: ["U-10"] },
  async () => {
    const { client, ledger, call } = await published();
    await ledger.worker({ workflows: [], published: true });
    const first = await call("PUT", "/workflows/greeting/1", greeting);
    expect(first.status).toBe(201);
    expect(await first.json()).toMatchObject({
      workflowId: "greeting",
      version: "1",
      created: true,
      needsPermission: [],
    });
    expect((await call("PUT", "/workflows/greeting/1", greeting)).status).toBe(200);
    const other = await call("PUT", "/workflows/greeting/1", { ...greeting, steps: greeting.steps.slice(0, 1) });
    expect([other.status, ((await other.json()) as { code: string }).code]).toEqual([409, "PLAN_VERSION_TAKEN"]);

    const wrong = await call("POST", "/runs", { workflow: "greeting", input: {} });
    expect(await wrong.json()).toMatchObject({ code: "SCHEMA_MISMATCH", field: "input.name" });
    const { runId } = await client.startRun({ workflow: "greeting", input: { name: "you" } });
    expect((await client.getRunPlan(runId)).signalSchemas).toMatchObject({ go: { required: ["by"] } });
    expect((await client.getWorkflow("greeting")).plan.inputSchema).toMatchObject({ required: ["name"] });
    await client.signal(runId, "go", { by: "me" });
    await expect.poll(async () => (await client.getRun(runId)).status).toBe("COMPLETED");
  },
);

test("an invalid workflow is refused with all of its errors", { tags: ["U-10"] }, async () => {
  const { call } = await published();
  const refused = async (body: unknown, path = "/workflows/bad/1") => {
    const response = await call("PUT", path, body);
    return [response.status, ((await response.json()) as { code: string }).code];
  };
  expect(await refused({ steps: [{ id: "a", wait: "go", after: ["a"] }] })).toEqual([400, "PLAN_CYCLE"]);
  expect(await refused({ steps: [{ id: "a", wait: 5 }] })).toEqual([400, "PLAN_SYNTAX"]);
  expect(await refused({ steps: [{ id: "a", unheard: 1 }] })).toEqual([400, "PLAN_SYNTAX"]);
  expect(await refused({ ...greeting, workflow: "other" })).toEqual([400, "REQUEST_INVALID"]);
  expect(await refused({ ...greeting, version: "2" })).toEqual([400, "REQUEST_INVALID"]);
  expect(await refused([])).toEqual([400, "REQUEST_INVALID"]);
  expect(await refused({ steps: [{ id: "a\u0000", wait: "go" }] })).toEqual([400, "PAYLOAD_NOT_JSON"]);
  expect((await refused({ steps: [{ id: "a", wait: "x".repeat(300_000) }] }))[0]).toBe(413);
});

test("publishing any id requires an engineer for all tenants and is audited", async () => {
  const world = await published();
  const { call, client } = world;
  for (const [tenant, role, status] of [
    ["acme", "admin", 403],
    [ALL_TENANTS, "operator", 403],
    [ALL_TENANTS, "engineer", 201],
  ] as const)
    expect((await call("PUT", "/workflows/greeting/1", greeting, await keyOf(world, tenant, role))).status).toBe(
      status,
    );
  const { items } = await client.listAudit();
  expect(items.map(({ action, outcome }) => `${action} ${outcome}`).toSorted()).toEqual([
    "publishWorkflow allowed",
    "publishWorkflow denied",
    "publishWorkflow denied",
  ]);
});

test("the schemas and expressions of a published version cannot be changed in place", { tags: ["R-26"] }, async () => {
  const { call } = await published();
  const publish = async (document: object) => (await call("PUT", "/workflows/greeting/1", document)).status;
  const [wait, say] = greeting.steps;
  expect(await publish(greeting)).toBe(201);
  expect(await publish({ ...greeting, input: { type: "object" } })).toBe(409);
  expect(await publish({ ...greeting, signals: { go: {} } })).toBe(409);
  expect(await publish({ ...greeting, steps: [wait, { ...say, when: "true" }] })).toBe(409);
  const reordered = Object.fromEntries(Object.entries(greeting).toReversed());
  expect(await publish(reordered)).toBe(200);
  expect((await call("POST", "/runs", { workflow: "greeting", input: {} })).status).toBe(400);
});

const tools = (program: string, more: JsonObject = {}) => ({
  steps: [{ id: "run", command: [program, "hello"], ...more }],
});

test("commands, SQL, requests and secrets of a published workflow run only where the worker allows them", async () => {
  const { client, ledger } = await published();
  const first = await ledger.worker({ workflows: [], published: true, connections: { default: "postgres://nowhere" } });
  await client.publishWorkflow("tools", "1", tools("echo"));
  await client.publishWorkflow("tools", "2", { steps: [{ id: "run", sql: "select 1" }] });
  const secret = { http: { url: "http://127.0.0.1:9/", headers: { authorization: { secret: "TOKEN" } } } };
  await client.publishWorkflow("tools", "3", { steps: [{ id: "run", ...secret }] });
  const outcome = async (version: string) => {
    const { runId } = await client.startRun({ workflow: "tools", version });
    await expect.poll(async () => (await client.getRun(runId)).status).toMatch(/FAILED|COMPLETED/);
    const { step } = await client.getStep(runId, "run");
    return step.error === undefined ? step.status : `${step.error.code} ${step.error.message}`;
  };
  expect(await outcome("1")).toMatch(/^PUBLISHED_NOT_ALLOWED .*command echo.*allowPublished\.command/);
  expect(await outcome("2")).toMatch(/^PUBLISHED_NOT_ALLOWED .*sql default/);
  expect(await outcome("3")).toMatch(/^SECRET_NOT_FOUND/);
  await client.publishWorkflow("tools", "6", { steps: [{ id: "run", http: { url: "http://127.0.0.1:9/" } }] });
  expect(await outcome("6")).toMatch(/^PUBLISHED_NOT_ALLOWED .*http 127\.0\.0\.1:9.*allowPublished\.http/);
  await first.stop();

  await ledger.worker({ workflows: [], published: true, allowPublished: { command: [["echo", "*"]] } });
  expect(await outcome("1")).toBe("SUCCESS");
  await client.publishWorkflow("tools", "4", tools("ls"));
  expect(await outcome("4")).toMatch(/^PUBLISHED_NOT_ALLOWED .*command ls/);
  await client.publishWorkflow("tools", "5", tools("echo", { env: { PATH: "/tmp" } }));
  expect(await outcome("5")).toMatch(/^PUBLISHED_NOT_ALLOWED .*variables/);
});

test(
  "a published workflow passes only the arguments that the worker allows",
  { tags: ["R-26"], timeout: 60_000 },
  async () => {
    const { client, ledger } = await published();
    const command = ["true", ["echo", "one", "*"], ["env", "**"]];
    await ledger.worker({ workflows: [], published: true, allowPublished: { command } });
    let version = 0;
    const outcome = async (...run: string[]) => {
      await client.publishWorkflow("args", String(++version), { steps: [{ id: "run", command: run }] });
      const { runId } = await client.startRun({ workflow: "args", version: String(version) });
      await expect.poll(async () => (await client.getRun(runId)).status).toMatch(/FAILED|COMPLETED/);
      return (await client.getStep(runId, "run")).step.error?.code ?? "allowed";
    };
    expect(await outcome("true")).toBe("allowed");
    expect(await outcome("true", "--version")).toBe("PUBLISHED_NOT_ALLOWED");
    expect(await outcome("echo", "one", "two")).toBe("allowed");
    for (const run of [
      ["echo", "one"],
      ["echo", "two", "two"],
      ["echo", "one", "-n"],
      ["echo", "one", "two", "three"],
    ])
      expect(await outcome(...run)).toBe("PUBLISHED_NOT_ALLOWED");
    expect(await outcome("env", "echo", "-n")).toBe("allowed");
  },
);

test("a request reaches only allowed hosts, also after a redirect", { tags: ["R-26"] }, async () => {
  const requested: string[] = [];
  const server = createServer((request, response) => {
    requested.push(request.url!);
    const to = request.url === "/away" ? `http://localhost:${port}/other` : "/arrived";
    if (request.url === "/arrived") response.end("here");
    else response.writeHead(302, { location: to }).end();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const { client, ledger } = await published();
  await ledger.worker({ workflows: [], published: true, allowPublished: { http: [`127.0.0.1:${port}`] } });
  const step = async (path: string) => {
    const http = { url: `http://127.0.0.1:${port}${path}` };
    await client.publishWorkflow("asks", path.slice(1), { steps: [{ id: "ask", http }] });
    const { runId } = await client.startRun({ workflow: "asks", version: path.slice(1) });
    await expect.poll(async () => (await client.getRun(runId)).status).toMatch(/FAILED|COMPLETED/);
    return (await client.getStep(runId, "ask")).step;
  };
  expect(await step("/near")).toMatchObject({ status: "SUCCESS" });
  expect(await step("/away")).toMatchObject({ error: { code: "PUBLISHED_NOT_ALLOWED" } });
  expect(requested).toEqual(["/near", "/arrived", "/away"]);
});

test("the same workflow from a project runs without the restrictions of published ones", async () => {
  const own = workflow("own", { version: "1", input: z.object({ day: z.string() }) }, (w) => {
    w.command("run", { run: ["echo", "hello"] });
  });
  const { client, ledger } = await published();
  await ledger.worker({ workflows: [own] });
  const run = await ledger.start(own, { input: { day: "monday" } });
  await run.result();
  expect((await client.getRunPlan(run.id)).inputSchema).toMatchObject({ required: ["day"] }); // recorded by the worker
});
