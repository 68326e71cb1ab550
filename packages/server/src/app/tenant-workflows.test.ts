// @module-tag R-25
// @module-tag R-26
/** Workflows, secrets, connections and workers that belong to a tenant. Another tenant neither sees nor starts them. */
import type { AccessRole } from "@runledger/contracts";
import { RunledgerClient } from "@runledger/client";
import { workflow } from "@runledger/runtime";
import { expect, onTestFinished, test } from "vitest";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { testServer, type TestServer } from "@runledger/test-support/test-server";
import { createApiKey } from "../auth/api-keys.js";

const visibility = { tenants: ["acme"] };
const own = workflow("own", { version: "1", visibility }, (w) => w.waitForSignal("go"));
const shared = workflow("common", { version: "1" }, (w) => w.waitForSignal("go"));
const parent = workflow("parent", { version: "1" }, (w) => w.child("start-own", own));

type Call = (method: string, path: string, body?: unknown) => Promise<Answer>;
interface Answer {
  readonly status: number;
  readonly code: string | undefined;
  readonly body: Record<string, unknown>;
}

async function as({ call, ledger }: TestServer, tenantId: string, role: AccessRole = "admin"): Promise<Call> {
  const params = { name: `${tenantId}-${role}`, role, tenantId, ttlMs: null, createdBy: "test" };
  const { text } = await createApiKey(ledger.store.access, params);
  return async (method, path, body) => {
    const response = await call(method, path, body, { authorization: `Bearer ${text}` });
    const read = (await response.json()) as Record<string, unknown>;
    return { status: response.status, code: read["code"] as string | undefined, body: read };
  };
}

async function served(workflows: Parameters<typeof testServer>[0] = [own, shared, parent]): Promise<TestServer> {
  const database = await freshDatabase();
  onTestFinished(() => database.drop());
  return testServer(workflows, { store: database.url });
}

const idsOf = ({ body }: Answer, name: string) => (body["items"] as Record<string, string>[]).map((item) => item[name]);
const until = { timeout: 20_000 };

test("a workflow of a tenant is visible to it and can be started, scheduled, forked and signaled by it only", async () => {
  const world = await served();
  const { ledger } = world;
  ledger.projector();
  await ledger.worker({ workflows: [own, shared] });
  const [acme, other] = [await as(world, "acme"), await as(world, "other")];
  expect(idsOf(await acme("GET", "/workflows"), "workflowId")).toEqual(["common", "own"]);
  expect(idsOf(await other("GET", "/workflows"), "workflowId")).toEqual(["common"]);

  const { body } = await acme("POST", "/runs", { workflow: "own" });
  const runId = body["runId"] as string;
  await expect.poll(async () => (await acme("GET", `/runs/${runId}/steps`)).body["items"], until).toHaveLength(1);
  const refused = (missing: string): (readonly [string, string, object?])[] => [
    ["GET", `/workflows/${missing}`],
    ["GET", `/workflows/${missing}/versions`],
    ["POST", "/runs", { workflow: missing }],
    ["POST", "/runs", { workflow: missing, version: "1" }],
    ["PUT", "/schedules/s", { workflow: missing, every: "1h" }],
  ];
  for (const [index, [method, path, sent]] of refused("own").entries()) {
    const hidden = await other(method, path, sent);
    const absent = await other(...refused("zzz")[index]!);
    expect([path, hidden.status, hidden.code]).toEqual([path, 404, "WORKFLOW_NOT_FOUND"]);
    expect(absent.body["detail"]).toBe(String(hidden.body["detail"]).replace("own", "zzz"));
  }
  const outcomes = (await other("POST", "/runs/starts", { starts: [{ workflow: "own" }] })).body["outcomes"];
  expect(outcomes).toMatchObject([{ problem: { code: "WORKFLOW_NOT_FOUND" } }]);
  for (const [path, sent] of [
    [`/runs/${runId}/fork`, { from: "go" }],
    [`/runs/${runId}/signals/go`, {}],
    [`/runs/${runId}/actions/cancel`, {}],
  ] as const)
    expect(await other("POST", path, sent)).toMatchObject({ status: 404, code: "RUN_NOT_FOUND" });

  expect((await acme("GET", "/workflows/own")).body["visibility"]).toEqual(visibility);
  expect((await acme("PUT", "/schedules/s", { workflow: "own", every: "1h" })).status).toBe(200);
  expect((await acme("POST", `/runs/${runId}/fork`, { from: "go" })).status).toBe(202);
  expect((await acme("POST", `/runs/${runId}/signals/go`, {})).status).toBe(202);
  await expect.poll(async () => (await acme("GET", `/runs/${runId}`)).body["status"], until).toBe("COMPLETED");
});

test("schedules, forks and children of a tenant do not start what it may no longer see", async () => {
  const world = await served();
  const { ledger } = world;
  await ledger.worker({ workflows: [own, shared, parent] });
  const other = await as(world, "other");
  const child = (await other("POST", "/runs", { workflow: "parent" })).body["runId"] as string;
  const snapshot = async () => (await other("GET", `/runs/${child}/steps/start-own`)).body["step"];
  await expect.poll(snapshot, until).toMatchObject({ error: { code: "WORKFLOW_NOT_FOUND" } });

  const run = (await other("POST", "/runs", { workflow: "common" })).body["runId"] as string;
  await other("PUT", "/schedules/s", { workflow: "common", every: "1h", from: "2026-01-01T00:00:00Z" });
  const plan = (await ledger.store.plans.loadPlan({ planId: "common", planVersion: "1" }))!;
  await ledger.store.plans.registerPlan(plan, { visibility });
  const fork = () => other("POST", `/runs/${run}/fork`, { from: "go" });
  await expect.poll(async () => (await fork()).code, until).toBe("WORKFLOW_NOT_FOUND");
  const range = { from: "2026-01-01T00:00:00Z", to: "2026-01-01T01:00:00Z" };
  expect((await other("POST", "/schedules/s/backfill", range)).code).toBe("WORKFLOW_NOT_FOUND");
});

test("an engineer of a tenant publishes under the tenant's name, and what it publishes belongs to the tenant", async () => {
  const world = await served([]);
  const { ledger, call } = world;
  await ledger.worker({ workflows: [], published: true });
  const [acme, other] = [await as(world, "acme", "engineer"), await as(world, "other", "engineer")];
  const document = { steps: [{ id: "rest", sleep: "1ms" }] };
  for (const id of ["orders", "other:orders", "acme:", "acme:a:b", "acmeorders"])
    expect(await acme("PUT", `/workflows/${id}/1`, document)).toMatchObject({ status: 403, code: "FORBIDDEN" });
  expect((await acme("PUT", "/workflows/acme:orders/1", { ...document, visibility: "shared" })).status).toBe(201);
  expect((await acme("PUT", "/workflows/acme:orders/1", document)).status).toBe(200);
  expect((await other("PUT", "/workflows/acme:orders/1", document)).code).toBe("FORBIDDEN");
  expect(idsOf(await other("GET", "/workflows"), "workflowId")).toEqual([]);
  expect((await other("POST", "/runs", { workflow: "acme:orders" })).code).toBe("WORKFLOW_NOT_FOUND");
  const { body } = await acme("POST", "/runs", { workflow: "acme:orders" });
  const statusOf = async () => (await acme("GET", `/runs/${String(body["runId"])}`)).body["status"];
  await expect.poll(statusOf, until).toBe("COMPLETED");

  expect((await call("PUT", "/workflows/acme:orders/1", { ...document, visibility: "shared" })).status).toBe(200);
  expect(idsOf(await other("GET", "/workflows"), "workflowId")).toEqual(["acme:orders"]);
  expect((await other("GET", "/workflows/acme:orders")).body["visibility"]).toBe("shared");
});

test("secrets and connections of a tenant are used by its runs only, and come before the shared ones", async () => {
  const [acmes, everyones] = [await freshDatabase(), await freshDatabase()];
  onTestFinished(async () => void (await Promise.all([acmes.drop(), everyones.drop()])));
  const uses = workflow("uses", { version: "1" }, (w) => {
    w.sql("which", { text: "select current_database() as name" });
    w.step("one", async ({ secrets }) => (await secrets.get("api-token")).length);
    w.step("both", async ({ secrets }) => (await secrets.get("only-acmes")).length);
  });
  const world = await served([uses]);
  const provider = (values: Record<string, string>) => ({ resolve: async () => values });
  await world.ledger.worker({
    workflows: [uses],
    connections: { default: everyones.url },
    secrets: provider({ "api-token": "x".repeat(10) }),
    perTenant: {
      acme: {
        connections: { default: acmes.url },
        secrets: provider({ "api-token": "y".repeat(20), "only-acmes": "z".repeat(30) }),
      },
    },
  });
  const results = async (tenantId: string) => {
    const caller = await as(world, tenantId);
    const runId = String((await caller("POST", "/runs", { workflow: "uses" })).body["runId"]);
    await expect.poll(async () => (await caller("GET", `/runs/${runId}`)).body["status"], until).not.toBe("RUNNING");
    await expect.poll(async () => (await caller("GET", `/runs/${runId}`)).body["status"], until).toMatch(/^[CF]/);
    const step = async (stepId: string) => {
      const { body } = await caller("GET", `/runs/${runId}/steps/${stepId}`);
      const { error } = body["step"] as { readonly error?: { readonly code: string } };
      const end = (body["events"] as { readonly eventData: { readonly output?: unknown } }[]).at(-1);
      return error?.code ?? JSON.stringify(end?.eventData.output);
    };
    return { which: await step("which"), both: await step("both"), one: await step("one") };
  };
  const databaseOf = (url: string) => JSON.stringify([{ name: new URL(url).pathname.slice(1) }]);
  const acme = await results("acme");
  expect(acme.which).toBe(databaseOf(acmes.url));
  expect(acme).toMatchObject({ one: "20", both: "30" });
  const other = await results("other");
  expect(other).toEqual({ which: databaseOf(everyones.url), one: "10", both: "SECRET_NOT_FOUND" });
});

test("a worker of a tenant runs its steps only, and lists and queues reveal nothing of other tenants", async () => {
  const world = await served();
  const { ledger, client, server } = world;
  const [acme, other] = [await as(world, "acme"), await as(world, "other")];
  const dedicated = await ledger.worker({ workflows: [own, shared], tenants: ["acme"] });
  const start = async (caller: Call) => (await caller("POST", "/runs", { workflow: "common" })).body["runId"] as string;
  const [mine, theirs, later] = [await start(acme), await start(other), await start(other)];
  await expect.poll(async () => (await acme("GET", `/queue/${mine}`)).body["where"], until).toBe("waiting");
  const queued = (await other("GET", `/queue/${theirs}`)).body;
  expect(queued).toMatchObject({ where: "queued", position: 1, expectedAt: null });
  expect(queued["reasons"]).toMatchObject([{ kind: "worker", text: "no worker for common 1" }]);
  expect((await other("GET", `/queue/${later}`)).body).toMatchObject({ position: 2 });
  expect(idsOf(await other("GET", "/workers"), "workerId")).toEqual([]);
  expect((await other("GET", "/health")).body["workers"]).toEqual({ alive: 0, lost: 0 });
  expect(idsOf(await acme("GET", "/workers"), "workerId")).toHaveLength(1);

  for (let count = 0; count < 3; count++) await start(await as(world, "third", "operator"));
  expect((await other("GET", `/queue/${later}`)).body).toMatchObject({ position: 2 });
  const all = new RunledgerClient({ url: server.url, token: "rlt_of-the-test", tenant: "other" });
  expect((await all.getQueuedRun(later)).position).toBeGreaterThan(2);

  const sharedWorker = await ledger.worker({ workflows: [own, shared] });
  const [seen] = (await other("GET", "/workers")).body["items"] as { workerId: string; plans: { planId: string }[] }[];
  expect(seen!.plans.map(({ planId }) => planId)).toEqual(["common"]);
  expect(seen!.workerId).not.toBe(sharedWorker.id);
  expect(idsOf(await acme("GET", "/workers"), "workerId")).not.toContain(seen!.workerId);
  const names = (await client.listWorkers()).items.map(({ workerId }) => workerId);
  expect(names.toSorted()).toEqual([dedicated.id, sharedWorker.id].toSorted());
});
