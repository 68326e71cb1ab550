// @module-tag R-26
/** Values that once caused a server fault. `edge-values.all.test.ts` sends such values to every field of every route. */
import { workflow } from "@runledger/runtime";
import { StopError } from "@runledger/contracts";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { testServer, type TestServer } from "@runledger/test-support/test-server";

const flow = workflow("flow", { version: "1", signals: { go: z.unknown() } }, (w) => w.waitForSignal("go"));
const start = (startAt: string) => ["POST", "/runs", { workflow: "flow", startAt }] as const;
const schedule = (fields: object) => ["PUT", "/schedules/s", { workflow: "flow", ...fields }] as const;
const preview = (fields: object) => ["POST", "/schedules/preview", fields] as const;
const publish = (input: object) => ["PUT", "/workflows/self/1", { input, steps: [{ id: "a", sleep: "1s" }] }] as const;

async function postgresServer(): Promise<TestServer & { readonly runId: string }> {
  const database = await freshDatabase();
  onTestFinished(() => database.drop());
  const served = await testServer([flow], { store: database.url });
  const { runId } = await served.client.startRun({ workflow: "flow" });
  await served.client.putSchedule("nightly", { workflow: "flow", every: "1h" });
  return { ...served, runId };
}

test("an extreme value is refused as invalid, and not a server fault", async () => {
  const { call, runId, log } = await postgresServer();
  const requests = [
    ["POST", `/runs/${runId}/signals/__proto__`, {}],
    ["POST", `/runs/${runId}/signals/constructor`, {}],
    ["GET", `/runs/${runId}/steps?after=9007199254740991`],
    ["GET", "/runs/stream?createdFrom=0000-01-01T00:00:00Z"],
    start("0000-01-01T00:00:00Z"),
    start("10000-01-01T00:00:00Z"),
    schedule({ every: "99999999999999999999d" }),
    schedule({ every: "99999999d" }),
    schedule({ every: "1h", jitter: "99999999d" }),
    schedule({ at: "0000-06-01T00:00:00Z" }),
    schedule({ at: "9999-12-31T23:59:59-10:00" }),
    preview({ every: "99999999d" }),
    ["POST", "/schedules/nightly/backfill", { from: "0000-01-01T00:00:00Z", dryRun: true }],
    publish({ $ref: "#" }),
    publish({ properties: { a: { $ref: "#/properties/a" } } }),
  ] as const;
  const statuses: string[] = [];
  for (const [method, path, body] of requests) {
    const response = await call(method, path, body);
    const { code } = (await response.json()) as { code?: string };
    if (response.status !== 400 && code !== "SIGNAL_UNKNOWN") statuses.push(`${path}: ${response.status} ${code}`);
  }
  expect(statuses).toEqual([]);
  expect(log.filter(({ level }) => level === "error")).toEqual([]);
});

test("a schedule has no times after the year 9999", async () => {
  const { call } = await postgresServer();
  const response = await call(...schedule({ every: "36500d", from: "9999-01-01T00:00:00Z", jitter: "36500d" }));
  expect(response.status).toBe(200);
  const next = (await (await call(...preview({ every: "36500d", from: "9999-01-01T00:00:00Z" }))).json()) as object;
  expect(next).toMatchObject({ times: ["9999-01-01T00:00:00.000Z"] });
});

describe("a response", () => {
  test("does not contain the text of the store's errors, which the log has", async () => {
    const { call, ledger, log, client } = await testServer([flow]);
    const { runId } = await client.startRun({ workflow: "flow" });
    const fault = new StopError("STORE_FAULT", 'PostgreSQL refused: relation "runledger.heads" does not exist.');
    Object.assign(ledger.store.queue, {
      startRun: () => Promise.reject(fault),
      listQueue: () => Promise.reject(fault),
    });
    Object.assign(ledger, { act: () => Promise.reject(fault) });
    const shown = await Promise.all([
      call("GET", "/queue"),
      call("POST", "/runs", { workflow: "flow" }),
      call("POST", "/runs/starts", { starts: [{ workflow: "flow" }] }),
      call("POST", "/runs/actions", { action: "cancel", runIds: [runId], requestId: "r" }),
    ]);
    const texts = await Promise.all(shown.map((response) => response.text()));
    for (const text of texts) expect(text).toContain("STORE_FAULT");
    for (const text of texts) expect(text).not.toContain("PostgreSQL");
    expect(log.some(({ error }) => error === fault)).toBe(true);
  });

  test("is not stored by browsers and proxies", async () => {
    const { call, client } = await testServer([flow]);
    const { runId } = await client.startRun({ workflow: "flow" });
    for (const path of ["/runs", `/runs/${runId}`, "/workflows", "/me", "/nothing"])
      expect((await call("GET", path)).headers.get("cache-control")).toBe("no-store");
  });
});
