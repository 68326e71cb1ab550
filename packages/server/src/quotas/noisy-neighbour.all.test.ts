// @module-tag R-21
/** One tenant attacks a server on PostgreSQL with pages, streams and starts. Another tenant is served in between. */
import { newEvent } from "@runledger/contracts";
import { workflow } from "@runledger/runtime";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { testServer } from "@runledger/test-support/test-server";
import { expect, onTestFinished, test } from "vitest";
import { createApiKey } from "../auth/api-keys.js";

const flow = workflow("flow", { version: "1" }, (w) => w.waitForSignal("go"));
const PAGES = 60;

async function attackedServer(options: Parameters<typeof testServer>[1] = {}) {
  const database = await freshDatabase();
  onTestFinished(() => database.drop());
  const world = await testServer([flow], { store: database.url, ...options });
  const keyOf = async (tenantId: string) => {
    const params = { name: tenantId, role: "operator", tenantId, ttlMs: null, createdBy: "test" } as const;
    return { authorization: `Bearer ${(await createApiKey(world.ledger.store.access, params)).text}` };
  };
  const output = "x".repeat(100_000);
  for (let part = 0; part < 4; part++)
    await world.ledger.store.forTenant("noisy").appendEvents(
      Array.from({ length: 5 }, (_, n) => {
        const parts = { runId: "large", planVersion: "1", eventType: "StepCompleted", stepId: `s${part}-${n}` };
        return newEvent({ ...parts, eventData: { output } });
      }),
    );
  return { ...world, noisy: await keyOf("noisy"), quiet: await keyOf("quiet") };
}

test("the calls of a quiet tenant finish before most of the large calls that were sent first", async () => {
  const { call, noisy, quiet } = await attackedServer();
  const order: string[] = [];
  const noted = async (who: string, response: Promise<Response>): Promise<number> => {
    const { status } = await response.then(async (answer) => (await answer.arrayBuffer(), answer));
    order.push(who);
    return status;
  };
  await call("GET", "/me", undefined, quiet); // several tenants are active
  const starts = { starts: Array.from({ length: 100 }, () => ({ workflow: "flow" })) };
  const attack = [
    ...Array.from({ length: PAGES }, () =>
      noted("noisy", call("GET", "/runs/large/events?limit=1000", undefined, noisy)),
    ),
    ...Array.from({ length: 5 }, () => noted("noisy", call("POST", "/runs/starts", starts, noisy))),
  ];
  const calls = Array.from({ length: 24 }, (_, n) => {
    if (n % 3 === 0) return call("POST", "/runs", { workflow: "flow" }, quiet);
    return call("GET", n % 3 === 1 ? "/runs" : "/me", undefined, quiet);
  });
  const codes = await Promise.all(calls.map((response) => noted("quiet", response)));
  const before = order.filter((who) => who === "noisy").length;
  expect(new Set(codes)).toEqual(new Set([200, 202]));
  expect(before).toBeLessThan(PAGES / 2);
  expect(new Set(await Promise.all(attack))).toEqual(new Set([200]));
});

test("a caller that ignores its refusals gets few more of them while another tenant is served", async () => {
  const { call, noisy, quiet } = await attackedServer({ limits: { tenant: { requestsPerSecond: 5 } } });
  const attacking = new AbortController();
  let refusals = 0;
  const attack = Array.from({ length: 20 }, async () => {
    while (!attacking.signal.aborted) if ((await call("GET", "/me", undefined, noisy)).status === 429) refusals++;
  });
  try {
    await expect.poll(() => refusals).toBeGreaterThanOrEqual(50); // those that are sent at once
    const before = refusals;
    const startedAt = performance.now();
    for (let count = 0; count < 40; count++) expect((await call("GET", "/me", undefined, quiet)).status).toBe(200);
    const seconds = Math.ceil((performance.now() - startedAt) / 1000);
    // Each of the 20 attackers gets a refusal per second, and five per second are sent at once.
    expect(refusals - before).toBeLessThanOrEqual(25 * (seconds + 2));
  } finally {
    attacking.abort();
    await Promise.all(attack);
  }
});
