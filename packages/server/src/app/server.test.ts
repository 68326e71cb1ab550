// @module-tag U-10
import { request as httpRequest } from "node:http";
import { connect as connectSocket } from "node:net";
import { ProblemError, type Problem, type Run, type StartedRun } from "@runledger/client";
import { workflow } from "@runledger/runtime";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { testServer, TOKEN } from "@runledger/test-support/test-server";
import { Server } from "./server.js";

const orders = workflow(
  "orders",
  { version: "1.0.0", input: z.object({ day: z.string() }), signals: { release: z.object({ by: z.string() }) } },
  (w) => {
    const extract = w.step("extract", ({ log }) => {
      log("pulling", { rows: 3 });
      return { rows: 3 };
    });
    const release = w.waitForSignal("release", { after: [extract] });
    return w.step("publish", { needs: { release } }, ({ needs }) => needs.release.by);
  },
);
const failing = workflow("failing", { version: "1" }, (w) => {
  const good = w.step("good", () => 1);
  return w.step("bad", { needs: { good } }, () => {
    throw new Error("no");
  });
});

async function problemOf(response: Response): Promise<Problem> {
  expect(response.headers.get("content-type")).toBe("application/problem+json");
  return (await response.json()) as Problem;
}

describe("runs", () => {
  test("a run is started once per request id, streamed, signaled and read", async () => {
    const { call, client, ledger } = await testServer([orders]);
    await ledger.worker({ workflows: [orders] });
    const body = { workflow: "orders", input: { day: "2026-11-14" }, requestId: "nightly" };
    const first = await call("POST", "/runs", body);
    expect(first.status).toBe(202);
    const { runId, version } = (await first.json()) as StartedRun;
    expect(version).toBe("1.0.0");
    expect(first.headers.get("location")).toBe(`/api/v1/runs/${runId}`);
    const again = await call("POST", "/runs", body);
    expect([again.status, ((await again.json()) as StartedRun).runId]).toEqual([200, runId]);
    const other = await call("POST", "/runs", { ...body, input: { day: "2026-11-15" } });
    expect([other.status, (await problemOf(other)).code]).toEqual([409, "REQUEST_CHANGED"]);

    await client.signal(runId, "release", { by: "you" }, "s1");
    const types: string[] = [];
    for await (const { runSeq, eventType } of client.streamRun(runId)) types.push(`${runSeq} ${eventType}`);
    expect(types[0]).toBe("1 RunQueued");
    expect(types.at(-1)).toBe(`${types.length} RunCompleted`);
    expect(await client.getRun(runId)).toMatchObject({ status: "COMPLETED", planId: "orders", stepCount: 3 });
    const steps = await client.listSteps(runId, { limit: 2 });
    expect([steps.items.map(({ stepId }) => stepId), steps.next]).toEqual([["extract", "release"], "1"]);
    expect(await client.listSteps(runId, { after: 1 })).toMatchObject({ items: [{ stepId: "publish" }], next: null });
    const detail = await client.getStep(runId, "extract");
    expect(detail.events.map(({ eventType }) => eventType)).toEqual(["StepStarted", "StepCompleted"]);
    expect(detail.events[1]!.eventData).toMatchObject({ output: { rows: 3 } });
    const logs = await client.listLogs(runId, { stepId: "extract" });
    expect(logs.items).toMatchObject([{ from: "log", text: "pulling", stepId: "extract", attempt: 1 }]);
  });

  test("a run can be read at a seq, and pages of its log follow each other", async () => {
    const { client, ledger } = await testServer([failing]);
    const run = await ledger.start(failing);
    await ledger.worker({ workflows: [failing] });
    await expect(run.result()).rejects.toThrow("no");
    expect(await client.getRun(run.id, { atSeq: 1 })).toMatchObject({
      status: "PENDING",
      lastEventSeq: 1,
      stepCount: 0,
    });
    expect(await client.listSteps(run.id, { atSeq: 1 })).toEqual({ items: [], next: null });
    const seqs: number[] = [];
    let after: string | null = "0";
    while (after !== null) {
      const page = await client.listEvents(run.id, { after: Number(after), limit: 2 });
      seqs.push(...page.items.map(({ runSeq }) => runSeq));
      after = page.next;
    }
    expect(seqs).toEqual(seqs.map((_, index) => index + 1));
    const light = await client.listEvents(run.id, { payloads: false });
    expect(JSON.stringify(light.items)).not.toContain('"output"');
    await expect(client.getRun(run.id, { atSeq: 999 })).rejects.toMatchObject({ code: "REQUEST_INVALID" });
  });

  test("an unchanged run gets 304", async () => {
    const { call, ledger } = await testServer([orders]);
    const { id } = await ledger.start(orders, { input: { day: "x" } });
    const first = await call("GET", `/runs/${id}`);
    const etag = first.headers.get("etag")!;
    expect((await call("GET", `/runs/${id}`, undefined, { "if-none-match": etag })).status).toBe(304);
    await ledger.signal(id, "release", { by: "me" });
    const changed = await call("GET", `/runs/${id}`, undefined, { "if-none-match": etag });
    expect([changed.status, ((await changed.json()) as Run).lastEventSeq]).toEqual([200, 2]);
  });

  test("an action can be previewed, and the log records it", async () => {
    const { client, ledger } = await testServer([failing]);
    const run = await ledger.start(failing);
    expect(await client.act(run.id, "pause", { dryRun: true })).toMatchObject({ accepted: false, dryRun: true });
    expect((await client.getRun(run.id)).lastEventSeq).toBe(1);
    await ledger.worker({ workflows: [failing] });
    await expect(run.result()).rejects.toThrow("no");
    const preview = await client.act(run.id, "retry", { stepId: "bad", dryRun: true });
    expect(preview).toMatchObject({ accepted: true, runsAgain: ["bad"], runsAgainCount: 1, keptCount: 1 });
    await expect(client.act(run.id, "pause")).rejects.toMatchObject({ code: "SIGNAL_REJECTED", status: 409 });
    await client.act(run.id, "retry", { signalId: "r1" });
    await client.act(run.id, "retry", { signalId: "r1" }); // a repeated id has no further effect
    const events = await ledger.store.fetchEvents(run.id);
    const accepted = events.filter(({ eventType }) => eventType === "SignalAccepted");
    expect(accepted.map(({ eventData }) => eventData)).toMatchObject([{ name: "RETRY_RUN", by: "local" }]);
  });
});

describe("a problem", () => {
  test.each<[string, string, string, unknown, number, string]>([
    ["an unknown run", "GET", "/runs/nope", undefined, 404, "RUN_NOT_FOUND"],
    ["an invalid id", "GET", "/runs/a%7Cb", undefined, 400, "REQUEST_INVALID"],
    ["an unknown workflow", "POST", "/runs", { workflow: "nope" }, 404, "WORKFLOW_NOT_FOUND"],
    ["an invalid input", "POST", "/runs", { workflow: "orders", input: { day: 1 } }, 400, "SCHEMA_MISMATCH"],
    ["an unknown field", "POST", "/runs", { workflow: "orders", inputs: {} }, 400, "REQUEST_INVALID"],
    ["a missing body", "POST", "/runs", undefined, 400, "REQUEST_INVALID"],
    ["an incomplete body", "POST", "/runs", '{"workflow"', 400, "REQUEST_INVALID"],
    ["a body with a prototype", "POST", "/runs", '{"__proto__":{}}', 400, "REQUEST_INVALID"],
    ["a body that is too large", "POST", "/runs", { workflow: "x".repeat(600_000) }, 413, "PAYLOAD_TOO_LARGE"],
    ["an unknown action", "POST", "/runs/r/actions/explode", {}, 400, "REQUEST_INVALID"],
    ["an unknown parameter", "GET", "/runs/r/events?limt=1", undefined, 400, "REQUEST_INVALID"],
    ["a parameter out of range", "GET", "/runs/r/events?limit=0", undefined, 400, "REQUEST_INVALID"],
    ["a path that cannot be decoded", "GET", "/runs/%E0%A4%A", undefined, 400, "REQUEST_INVALID"],
    ["an unknown path", "GET", "/nope", undefined, 404, "ROUTE_NOT_FOUND"],
    ["an unsupported method", "DELETE", "/runs/r", undefined, 405, "METHOD_NOT_ALLOWED"],
  ])("is returned for %s", async (_, method, path, body, status, code) => {
    const { call, log } = await testServer([orders]);
    const response = await call(method, path, body);
    const problem = await problemOf(response);
    expect([response.status, problem.status, problem.code]).toEqual([status, status, code]);
    expect(problem.requestId).toBe(response.headers.get("x-request-id"));
    expect(log).toEqual([]);
  });

  test("names the invalid field", async () => {
    const { call } = await testServer([orders]);
    const problem = await problemOf(await call("POST", "/runs", { workflow: "orders", labels: { team: 7 } }));
    expect(problem).toMatchObject({
      field: "body.labels.team",
      family: "fix-input",
      type: "/api/docs/errors/REQUEST_INVALID",
    });
  });

  test("is returned for a form of another origin that is sent as text", async () => {
    const { server } = await testServer([orders]);
    const response = await fetch(`${server.url}/api/v1/runs`, {
      method: "POST",
      body: '{"workflow":"orders"}',
      headers: { authorization: `Bearer ${TOKEN}` },
    });
    expect([response.status, (await problemOf(response)).code]).toEqual([415, "MEDIA_TYPE_UNSUPPORTED"]);
  });

  test("hides a fault, which is logged under the same id", async () => {
    const { call, ledger, log } = await testServer([orders]);
    ledger.store.forTenant = () => {
      throw new TypeError("password=hunter2");
    };
    const response = await call("GET", "/runs/r", undefined, { "x-request-id": "mine-1" });
    const text = await response.text();
    expect([response.status, response.headers.get("x-request-id")]).toEqual([500, "mine-1"]);
    expect(text).not.toContain("hunter2");
    expect(JSON.parse(text)).toMatchObject({ code: "SERVER_FAULT", requestId: "mine-1" });
    expect(log).toMatchObject([{ level: "error", requestId: "mine-1", message: "GET /api/v1/runs/r" }]);
  });

  test("is returned for headers that are too large", async () => {
    const { server } = await testServer([orders]);
    const status = await new Promise((resolve, reject) => {
      const sent = httpRequest(`${server.url}/healthz`, { headers: { "x-long": "x".repeat(20_000) } }, (response) => {
        response.resume();
        resolve([response.statusCode, response.headers["content-type"]]);
      });
      sent.on("error", reject).end();
    });
    expect(status).toEqual([431, "application/problem+json"]);
  });

  test("is returned for bytes that are not HTTP", async () => {
    const { server } = await testServer([orders]);
    const { port } = new URL(server.url);
    const answer = await new Promise<string>((resolve) => {
      const socket = connectSocket(Number(port), "127.0.0.1", () => socket.write("HELLO\r\n\r\n"));
      let text = "";
      socket.on("data", (part) => (text += String(part))).on("close", () => resolve(text));
    });
    expect(answer).toMatch(/^HTTP\/1.1 400 Bad Request\r\n/);
    expect(answer).toContain('"code":"REQUEST_INVALID"');
  });
});

describe("probes", { tags: ["U-16"] }, () => {
  test("report that the server is alive, and ready while the store responds", async () => {
    const { server, ledger } = await testServer([orders]);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    expect(await (await fetch(`${server.url}/readyz`)).json()).toEqual({ ready: true, notReady: [] });
    await ledger.store.close();
    const response = await fetch(`${server.url}/readyz`);
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ ready: false, notReady: [{ part: "store" }] });
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  });
});

describe("the reference", () => {
  test("is one page without scripts, and every error code has a page", async () => {
    const { server } = await testServer([orders]);
    const page = await fetch(`${server.url}/api/docs`);
    const text = await page.text();
    expect(page.headers.get("content-security-policy")).toContain(
      "default-src 'none'; script-src 'self'; style-src 'self'",
    );
    expect(text).toContain("POST /api/v1/runs");
    expect(text).not.toMatch(/<script|https?:/);
    const error = await fetch(`${server.url}/api/docs/errors/RUN_NOT_FOUND`);
    expect(await error.text()).toContain("RUN_NOT_FOUND");
    expect((await fetch(`${server.url}/api/docs/errors/<script>`)).status).toBe(404);
    expect(await (await fetch(`${server.url}/api/openapi.json`)).json()).toMatchObject({ openapi: "3.1.0" });
  });
});

test("a port in use is reported with what to do", { tags: ["U-03"] }, async () => {
  const { server, ledger } = await testServer([orders]);
  const port = Number(new URL(server.url).port);
  const second = Server.start({ ledger, workflows: { find: () => Promise.reject(new Error()) }, port, access: {} });
  await expect(second).rejects.toMatchObject({ code: "LISTEN_FAILED" });
  await expect(second).rejects.toThrow(/port \d+: another process uses this port\. .* --port/);
});

test("an unreachable server is a client error that names its URL", { tags: ["U-17"] }, async () => {
  const { client, server } = await testServer([orders]);
  await server.close();
  const failed = await client.getRun("r").catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(ProblemError);
  expect(failed).toMatchObject({ status: 0, family: "retry" });
});
