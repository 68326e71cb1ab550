// @module-tag R-24
/** The audit log: who did what, from where, and with which outcome. */
import type { AuditEntry, AuditPage } from "@runledger/client";
import { fixedToken, testServer, TOKEN, type TestServer } from "@runledger/test-support/test-server";
import { describe, expect, test } from "vitest";
import { createApiKey } from "../auth/api-keys.js";
import { AuditTrail } from "../auth/audit-trail.js";

const none = { authorization: "" };

async function keyFor({ ledger }: TestServer, role: "viewer" | "admin" = "viewer") {
  const params = { name: "ci", role, tenantId: "acme", ttlMs: null, createdBy: "test" } as const;
  const { key, text } = await createApiKey(ledger.store.access, params);
  return { keyId: key.keyId, headers: { authorization: `Bearer ${text}` }, text };
}

async function entries({ ledger, call }: TestServer): Promise<AuditEntry[]> {
  await call("GET", "/audit"); // writes pending entries
  return ledger.store.audit.readAudit({ tenantId: "*" });
}

const brief = ({ actor, actorKind, keyId, action, outcome, code }: AuditEntry) =>
  [actor, actorKind, keyId, action, outcome, code].join(" ");

describe("an entry", () => {
  test("names the key of a denied call, also if the tenant is another's or the role is too low", async () => {
    const world = await testServer([]);
    const { keyId, headers } = await keyFor(world);
    await world.call("POST", "/keys", { name: "x", role: "viewer" }, headers);
    await world.call("GET", "/me", undefined, { ...headers, "runledger-tenant": "other" });
    await fetch(`${world.server.url}/metrics`, { headers });
    const all = await entries(world);
    expect(all.map(brief)).toEqual([
      `ci key ${keyId} createKey denied FORBIDDEN`,
      `ci key ${keyId} getMe denied FORBIDDEN`,
      `ci key ${keyId} metrics denied FORBIDDEN`,
    ]);
    expect(all.map(({ tenantId, actorId }) => [tenantId, actorId])).toEqual(all.map(() => ["acme", keyId]));
  });

  test("says allowed only after the body was checked, and failed if the operation then fails", async () => {
    const world = await testServer([]);
    const { headers, keyId } = await keyFor(world, "admin");
    expect((await world.call("POST", "/keys", { name: "x", role: "king" }, headers)).status).toBe(400);
    expect((await world.call("DELETE", "/keys/key_none", undefined, headers)).status).toBe(404);
    expect((await world.call("POST", "/keys", { name: "x", role: "viewer" }, headers)).status).toBe(201);
    expect((await entries(world)).map(brief)).toEqual([
      `ci key ${keyId} revokeKey allowed `,
      `ci key ${keyId} revokeKey failed KEY_NOT_FOUND`,
      `ci key ${keyId} createKey allowed `,
    ]);
  });

  test("records logins, logouts and refused logins, with the key of the session", async () => {
    const world = await testServer([]);
    const { text, keyId } = await keyFor(world, "admin");
    const login = await world.call("POST", "/session", { token: text }, none);
    const cookie = login.headers.getSetCookie()[0]!.split(";")[0]!;
    const session = { ...none, cookie, "sec-fetch-site": "same-origin" };
    await world.call("POST", "/keys", { name: "x", role: "viewer" }, session);
    await world.call("DELETE", "/session", undefined, session);
    await world.call("POST", "/session", { token: "rlk_wrong" }, none);
    await fetch(`${world.server.url}/?token=${TOKEN}`, { redirect: "manual" });
    expect((await entries(world)).map(brief)).toEqual([
      `ci key ${keyId} openSession allowed `,
      `ci key ${keyId} createKey allowed `,
      `ci key ${keyId} endSession allowed `,
      "local local  openSession allowed ",
      "unknown unknown  openSession denied UNAUTHENTICATED",
    ]);
  });

  test("has the address that a trusted proxy reports, and not one that a caller claims", async () => {
    const forwarded = { ...none, "x-forwarded-for": "203.0.113.7" };
    const behind = await testServer([], { access: { keys: true, trustProxy: ["127.0.0.1"] } });
    await behind.call("GET", "/me", undefined, forwarded);
    await behind.server.close();
    const direct = await testServer([], { access: { keys: true, token: fixedToken(TOKEN) } });
    await direct.call("GET", "/me", undefined, forwarded);
    await direct.server.close();
    const addresses = async ({ ledger }: TestServer) =>
      (await ledger.store.audit.readAudit({ tenantId: "*" })).map(({ address }) => address);
    expect([await addresses(behind), await addresses(direct)]).toEqual([["203.0.113.7"], ["127.0.0.1"]]);
  });

  test.each(["local", "Local ", "unknown", "anonymous", "command line"])(
    "cannot be confused by a key with the name %j",
    async (name) => {
      const { call } = await testServer([]);
      const response = await call("POST", "/keys", { name, role: "viewer" });
      expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([400, "OPTION_INVALID"]);
    },
  );
});

describe("denials of unknown callers", { tags: ["R-21"] }, () => {
  test("share an entry per address and minute, so that they cannot fill the store", async () => {
    const world = await testServer([], { access: { keys: true, trustProxy: ["127.0.0.1"] } });
    const from = (address: string) => ({ ...none, "x-forwarded-for": address });
    for (let n = 0; n < 30; n++) await world.call("GET", `/runs/${n}`, undefined, from("203.0.113.7"));
    await world.call("GET", "/me", undefined, from("203.0.113.8"));
    await world.server.close();
    const all = await world.ledger.store.audit.readAudit({ tenantId: "*" });
    expect(all.map(({ address, count }) => [address, count])).toEqual([
      ["203.0.113.7", 1],
      ["203.0.113.8", 1],
      ["203.0.113.7", 29],
    ]);
  });

  test("are counted together if they come from very many addresses", async () => {
    const { ledger } = await testServer([]);
    const trail = new AuditTrail(ledger.store.audit, { onError: () => {}, windowMs: 60_000 });
    const actor = { tenantId: null, actor: "unknown", actorKind: "unknown", actorId: null, keyId: null } as const;
    const call = { action: "getMe", target: "GET /", outcome: "denied", code: "UNAUTHENTICATED", count: 1 } as const;
    for (let n = 0; n < 700; n++) trail.recordDenied({ ...actor, ...call, requestId: "r", address: `a${n}` });
    await trail.close();
    const all = await ledger.store.audit.readAudit({ tenantId: "*" });
    expect([all.length, all.at(-1)?.address, all.at(-1)?.count]).toEqual([501, "many", 200]);
  });
});

test("a server removes entries that are older than the retention", async () => {
  const first = await testServer([]);
  await first.call("POST", "/keys", { name: "x", role: "viewer" });
  await new Promise((resolve) => setTimeout(resolve, 5));
  const second = await testServer([], { ledger: first.ledger, auditRetentionDays: 0 });
  await second.server.close();
  const page = (await (await first.call("GET", "/audit")).json()) as AuditPage;
  expect(page.items.map(({ action }) => action)).toEqual(["pruneAudit"]);
});
