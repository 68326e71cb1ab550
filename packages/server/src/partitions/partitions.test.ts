// @module-tag D-32
/** Partitions over HTTP: states, backfills, roles, the audit log, quotas and tenants. */
import { workflow } from "@runledger/runtime";
import { expect, test } from "vitest";
import { z } from "zod";
import { testServer, type TestServer } from "@runledger/test-support/test-server";
import { createApiKey } from "../auth/api-keys.js";

const input = z.object({ full: z.boolean() }).optional();
const days = { by: "day", start: "2026-01-01", end: "2026-01-04", timeZone: "Europe/Berlin" } as const;
const daily = workflow("daily", { version: "1", input, partitions: days }, (w) => {
  w.step("load", ({ partition }) => {
    if (partition!.key === "2026-01-02") throw new Error("broken");
  });
});
const plain = workflow("plain", { version: "1" }, (w) => w.step("load", () => 1));

const statesOf = async ({ client }: TestServer): Promise<string> =>
  (await client.listPartitions("daily")).items.map(({ state }) => state).join(" ");

test("partitions are listed with their states, and a backfill starts those that are missing or failed", async () => {
  const world = await testServer([daily, plain]);
  const { client, ledger } = world;
  const list = await client.listPartitions("daily", { from: "2026-01-04" });
  expect(list).toEqual({
    by: "day",
    timeZone: "Europe/Berlin",
    first: "2026-01-01",
    last: "2026-01-04",
    items: [
      {
        key: "2026-01-04",
        start: "2026-01-03T23:00:00.000Z",
        end: "2026-01-04T23:00:00.000Z",
        state: "missing",
        runId: null,
      },
    ],
  });
  const planned = await client.backfillPartitions("daily", { to: "2026-01-03", dryRun: true });
  expect(planned.items.map(({ key, runId, started }) => [key, runId, started])).toEqual(
    ["2026-01-01", "2026-01-02", "2026-01-03"].map((key) => [key, null, false]),
  );
  expect(await ledger.store.listHeads()).toEqual([]);
  const first = await client.backfillPartitions("daily", { to: "2026-01-03", concurrency: 3, input: { full: true } });
  expect(first).toMatchObject({ dryRun: false, remaining: 0, concurrencyKey: "partitions:daily" });
  ledger.projector();
  await ledger.worker({ workflows: [daily] });
  await expect.poll(() => statesOf(world)).toBe("succeeded failed succeeded missing");
  const again = await client.backfillPartitions("daily", { only: "failed" });
  expect(again.items).toMatchObject([{ key: "2026-01-02", state: "failed", started: true }]);
  const { startedBy } = await ledger.store.projectSnapshot(again.items[0]!.runId!);
  expect(startedBy).toBe("local");
});

test("errors name the wrong option", async () => {
  const { call } = await testServer([daily, plain]);
  const refused = async (method: string, path: string, body?: object) => {
    const response = await call(method, path, body);
    const { code, field } = (await response.json()) as { code: string; field: string };
    return [response.status, code, field];
  };
  expect(await refused("GET", "/workflows/none/partitions")).toEqual([404, "WORKFLOW_NOT_FOUND", "workflow"]);
  expect(await refused("GET", "/workflows/plain/partitions")).toEqual([400, "OPTION_INVALID", "workflow"]);
  expect(await refused("GET", "/workflows/daily/partitions?from=soon")).toEqual([400, "OPTION_INVALID", "from"]);
  const backfill = (body: object) => refused("POST", "/workflows/daily/backfill", body);
  expect(await backfill({ keys: ["2026-01-05"] })).toEqual([400, "OPTION_INVALID", "keys"]);
  expect(await backfill({ input: { full: 1 } })).toEqual([400, "SCHEMA_MISMATCH", "input.full"]);
  expect(await backfill({ limit: 1001 })).toEqual([400, "REQUEST_INVALID", "body.limit"]);
});

test("a viewer reads partitions, an operator backfills those of the own tenant, and backfills are audited", async () => {
  const world = await testServer([daily]);
  const { ledger, call } = world;
  const headersOf = async (role: "viewer" | "operator") => {
    const params = { name: role, role, tenantId: "acme", ttlMs: null, createdBy: "test" };
    return { authorization: `Bearer ${(await createApiKey(ledger.store.access, params)).text}` };
  };
  const [viewer, operator] = [await headersOf("viewer"), await headersOf("operator")];
  expect((await call("GET", "/workflows/daily/partitions", undefined, viewer)).status).toBe(200);
  expect((await call("POST", "/workflows/daily/backfill", {}, viewer)).status).toBe(403);
  expect((await call("POST", "/workflows/daily/backfill", {}, operator)).status).toBe(200);
  const heads = await ledger.store.listHeads();
  expect(heads.map(({ tenantId }) => tenantId)).toEqual(["acme", "acme", "acme", "acme"]);
  ledger.projector();
  expect(await statesOf(world)).toBe("missing missing missing missing"); // the default tenant has none
  await call("GET", "/audit"); // writes pending entries
  const entries = await ledger.store.audit.readAudit({ tenantId: "acme" });
  expect(entries.map(({ actor, action, outcome }) => `${actor} ${action} ${outcome}`).sort()).toEqual([
    "operator backfillPartitions allowed",
    "viewer backfillPartitions denied",
  ]);
});

test("runs of a backfill count toward the quota of starts", async () => {
  const keys = Array.from({ length: 20 }, (_, index) => `shop-${index}`);
  const shops = workflow("daily", { version: "1", partitions: { by: "key", keys } }, (w) => w.step("load", () => 1));
  const { ledger, call } = await testServer([shops], { limits: { key: { startsPerSecond: 1 } } });
  const params = { name: "ci", role: "operator", tenantId: "acme", ttlMs: null, createdBy: "test" } as const;
  const headers = { authorization: `Bearer ${(await createApiKey(ledger.store.access, params)).text}` };
  expect((await call("POST", "/workflows/daily/backfill", {}, headers)).status).toBe(200);
  expect((await call("POST", "/workflows/daily/backfill", {}, headers)).status).toBe(429);
});
