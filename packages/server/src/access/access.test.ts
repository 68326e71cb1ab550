// @module-tag U-13
/** Authentication and authorization of API calls. */
import { request as httpRequest } from "node:http";
import type { AccessKeyPage, AuditPage, CreatedAccessKey, Me, Problem } from "@runledger/client";
import { describe, expect, test } from "vitest";
import { fixedToken, testServer, TOKEN, type TestServer } from "@runledger/test-support/test-server";
import { AuditTrail } from "../auth/audit-trail.js";
import { createApiKey } from "../auth/api-keys.js";

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const none = { authorization: "" };

async function codeOf(response: Response): Promise<[number, string]> {
  return [response.status, ((await response.json()) as Problem).code];
}

async function keyFor(
  { ledger }: TestServer,
  parts: { role?: "viewer" | "operator" | "admin"; tenantId?: string; ttlMs?: number } = {},
) {
  const params = { name: "ci", role: "viewer", tenantId: "acme", ttlMs: null, createdBy: "test", ...parts } as const;
  return createApiKey(ledger.store.access, params);
}

/** Sends headers that `fetch` does not let a caller choose. */
function rawStatus(url: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(url, { headers }, (response) => {
      response.resume();
      resolve(response.statusCode!);
    });
    sent.on("error", reject).end();
  });
}

describe("API keys", () => {
  test("are valid for their tenant and role, and record their last use", async () => {
    const served = await testServer([]);
    const { call, ledger } = served;
    const { key, text } = await keyFor(served);
    const me = (await (await call("GET", "/me", undefined, bearer(text))).json()) as Me;
    expect(me).toEqual({ name: "ci", tenantId: "acme", role: "viewer", allTenants: false });
    const start = await call("POST", "/runs", { workflow: "x" }, bearer(text));
    expect(await codeOf(start)).toEqual([403, "FORBIDDEN"]);
    const other = await call("GET", "/me", undefined, { ...bearer(text), "runledger-tenant": "other" });
    expect(await codeOf(other)).toEqual([403, "FORBIDDEN"]);
    expect((await ledger.store.access.findKey(key.keyId))?.key.lastUsedAt).not.toBeNull();
  });

  test("are refused if they are mistyped or expired", async () => {
    const served = await testServer([]);
    const { call } = served;
    const { text } = await keyFor(served);
    const mistyped = `${text.slice(0, -1)}${text.endsWith("A") ? "B" : "A"}`;
    for (const wrong of [
      mistyped,
      `${text}x`,
      "rlk_",
      `rlk_${"0".repeat(20)}_${"A".repeat(43)}`,
      TOKEN.slice(1),
      "a.b.c",
    ])
      expect(await codeOf(await call("GET", "/me", undefined, bearer(wrong)))).toEqual([401, "UNAUTHENTICATED"]);
    const { text: short } = await keyFor(served, { ttlMs: 1 });
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect((await call("GET", "/me", undefined, bearer(short))).status).toBe(401);
  });

  test("are created and revoked by admins of their tenant, returned once and stored as hashes", async () => {
    const served = await testServer([]);
    const { call, ledger } = served;
    const { text: admin } = await keyFor(served, { role: "admin" });
    const made = await call("POST", "/keys", { name: "bot", role: "operator", expiresInDays: 30 }, bearer(admin));
    expect([made.status, made.headers.get("cache-control")]).toEqual([201, "no-store"]);
    const { key, secret } = (await made.json()) as CreatedAccessKey;
    expect(key).toMatchObject({ tenantId: "acme", role: "operator", createdBy: "ci", revokedAt: null });
    const listed = (await (await call("GET", "/keys", undefined, bearer(admin))).json()) as AccessKeyPage;
    expect(listed.items.map(({ keyId }) => keyId)).toContain(key.keyId);
    const stored = JSON.stringify(await ledger.store.access.findKey(key.keyId));
    for (const text of [JSON.stringify(listed), stored]) expect(text).not.toContain(secret.slice(-43));
    expect((await call("GET", "/me", undefined, bearer(secret))).status).toBe(200);
    expect((await call("DELETE", `/keys/${key.keyId}`, undefined, bearer(admin))).status).toBe(200);
    expect((await call("GET", "/me", undefined, bearer(secret))).status).toBe(401);
    const { text: otherAdmin } = await keyFor(served, { role: "admin", tenantId: "other" });
    const foreign = await call("DELETE", `/keys/${key.keyId}`, undefined, bearer(otherAdmin));
    expect(await codeOf(foreign)).toEqual([404, "KEY_NOT_FOUND"]);
  });

  test("for all tenants act for the tenant that the request names", async () => {
    const served = await testServer([]);
    const { text } = await keyFor(served, { tenantId: "*" });
    const as = async (tenant: Record<string, string>) =>
      (await (await served.call("GET", "/me", undefined, { ...bearer(text), ...tenant })).json()) as Me;
    expect((await as({})).tenantId).toBe("default");
    expect((await as({ "runledger-tenant": "acme" })).tenantId).toBe("acme");
    const star = await served.call("GET", "/me", undefined, { ...bearer(text), "runledger-tenant": "*" });
    expect(star.status).toBe(403);
  });
});

describe("on loopback", () => {
  test("only health probes and the API reference work without the token", async () => {
    const { call, server } = await testServer([]);
    expect(await codeOf(await call("GET", "/runs", undefined, none))).toEqual([401, "UNAUTHENTICATED"]);
    expect((await call("GET", "/runs", undefined, none)).headers.get("www-authenticate")).toBe("Bearer");
    for (const path of ["/healthz", "/readyz", "/api/docs", "/api/openapi.json"])
      expect((await fetch(server.url + path)).status).toBe(200);
  });

  test.each([
    ["a forged host", { host: "evil.example" }, 421],
    ["a rebound DNS name", { host: "rebound.evil.example:7373" }, 421],
    ["a user name in the host", { host: "localhost@evil.example" }, 421],
    ["its own name", { host: "localhost:1234" }, 200],
    ["a page of another origin", { origin: "https://evil.example" }, 403],
    ["a page of another port", { origin: "http://127.0.0.1:1" }, 403],
    ["a page of another port with TLS", { origin: "https://localhost:8443" }, 403],
    ["a page behind a proxy with TLS", { origin: "https://localhost" }, 200],
    ["a page with an opaque origin", { origin: "null" }, 403],
    ["a page of another site without an origin header", { "sec-fetch-site": "cross-site" }, 403],
  ] as [string, Record<string, string>, number][])("%s", { tags: ["R-26"] }, async (_, headers, status) => {
    const { server } = await testServer([]);
    expect(await rawStatus(`${server.url}/api/v1/me`, { ...bearer(TOKEN), ...headers })).toBe(status);
  });

  test.each([
    ["cross-site", 403],
    ["same-site", 403],
    ["none", 303],
    ["same-origin", 303],
  ])("a login link that a page opened as %s", { tags: ["R-26"] }, async (site, status) => {
    const { server } = await testServer([]);
    expect(await rawStatus(`${server.url}/?token=${TOKEN}`, { "sec-fetch-site": site })).toBe(status);
  });

  test("a forged host is refused by the health probe too", async () => {
    const { server } = await testServer([]);
    expect(await rawStatus(`${server.url}/healthz`, { host: "evil.example" })).toBe(421);
    expect(await rawStatus(`${server.url}/`, { host: "evil.example" })).toBe(421);
  });

  test("the token is not valid on other interfaces, and the server refuses to listen there without authentication", async () => {
    await expect(testServer([], { host: "0.0.0.0" })).rejects.toMatchObject({ code: "LISTEN_REFUSED" });
    const served = await testServer([], { host: "0.0.0.0", access: { token: fixedToken(TOKEN), keys: true } });
    const url = served.server.url.replace("0.0.0.0", "127.0.0.1");
    expect(await rawStatus(`${url}/api/v1/me`, bearer(TOKEN))).toBe(401);
    const { text } = await keyFor(served);
    expect(await rawStatus(`${url}/api/v1/me`, bearer(text))).toBe(200);
  });
});

describe("a browser's session", { tags: ["U-15"] }, () => {
  async function logIn(served: TestServer, token = TOKEN) {
    const response = await served.call("POST", "/session", { token }, none);
    const cookie = response.headers.get("set-cookie") ?? "";
    return { status: response.status, cookie, headers: { ...none, cookie: cookie.split(";")[0]! } };
  }

  test("is a cookie that scripts cannot read and other sites cannot send", async () => {
    const served = await testServer([]);
    const { cookie, headers } = await logIn(served);
    expect(cookie).toMatch(/^runledger_session=[\w-]{43}; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Strict$/);
    expect(await (await served.call("GET", "/me", undefined, headers)).json()).toMatchObject({
      name: "local",
      role: "admin",
    });
    expect((await served.call("POST", "/session", { token: "rlt_wrong" }, none)).status).toBe(401);
  });

  test("can change data only in calls from pages of this server", async () => {
    const served = await testServer([]);
    const { headers } = await logIn(served);
    const body = { name: "bot", role: "viewer" };
    const { origin } = new URL(served.server.url);
    expect((await served.call("POST", "/keys", body, headers)).status).toBe(403);
    expect((await served.call("POST", "/keys", body, { ...headers, origin: "http://evil.example" })).status).toBe(403);
    expect((await served.call("POST", "/keys", body, { ...headers, origin })).status).toBe(201);
  });

  test("is invalid after logout, and after its credential is revoked", async () => {
    const served = await testServer([]);
    const first = await logIn(served);
    await served.call("DELETE", "/session", undefined, first.headers);
    expect((await served.call("GET", "/me", undefined, first.headers)).status).toBe(401);
    const { key, text } = await keyFor(served);
    const second = await logIn(served, text);
    expect((await served.call("GET", "/me", undefined, second.headers)).status).toBe(200);
    await served.call("DELETE", `/keys/${key.keyId}`);
    expect((await served.call("GET", "/me", undefined, second.headers)).status).toBe(401);
  });

  test("is opened by the printed URL, which redirects to a URL without the token", async () => {
    const { server } = await testServer([]);
    const response = await fetch(`${server.url}/?token=${TOKEN}`, { redirect: "manual" });
    expect([response.status, response.headers.get("location")]).toEqual([303, "/"]);
    const [cookie] = response.headers.get("set-cookie")!.split(";");
    expect((await fetch(`${server.url}/api/v1/me`, { headers: { cookie: cookie! } })).status).toBe(200);
    const wrong = `${server.url}/?token=rlt_wrong`;
    expect((await fetch(wrong, { redirect: "manual" })).status).toBe(401);
    const followed = await fetch(wrong, { redirect: "manual", headers: { accept: "text/html" } });
    expect([followed.status, followed.headers.get("location")]).toEqual([303, "/#token-refused"]);
    expect(followed.headers.get("set-cookie")).toBeNull();
  });

  test("survives a restart of the server, and is invalid after the token is rotated", async () => {
    const served = await testServer([]);
    const { headers } = await logIn(served);
    const again = await testServer([], { ledger: served.ledger });
    expect((await again.call("GET", "/me", undefined, headers)).status).toBe(200);
    const rotated = await testServer([], { ledger: served.ledger, access: { token: fixedToken("rlt_rotated") } });
    expect((await rotated.call("GET", "/me", undefined, headers)).status).toBe(401);
  });
});

describe("the audit log", { tags: ["U-15"] }, () => {
  const facts = (page: AuditPage) =>
    page.items.map(({ actor, action, outcome, code, tenantId }) => `${actor} ${action} ${outcome} ${code} ${tenantId}`);

  test("contains every denied and every administrative call, and no secret", async () => {
    const served = await testServer([]);
    const { call } = served;
    const { text } = await keyFor(served);
    await call("GET", "/runs?workflow=hidden-query", undefined, none);
    await call("POST", "/keys", { name: "x", role: "viewer" }, bearer(text));
    await rawStatus(`${served.server.url}/api/v1/me`, { host: "evil.example" });
    const made = (await (await call("POST", "/keys", { name: "bot", role: "viewer" })).json()) as CreatedAccessKey;
    await call("DELETE", `/keys/${made.key.keyId}`);
    const page = (await (await call("GET", "/audit")).json()) as AuditPage;
    expect(facts(page).toSorted()).toEqual(
      [
        "local revokeKey allowed null default",
        "local createKey allowed null default",
        "unknown getMe denied HOST_REFUSED null",
        "ci createKey denied FORBIDDEN acme",
        "unknown listRuns denied UNAUTHENTICATED null",
      ].toSorted(),
    );
    const whole = JSON.stringify([page, served.log]);
    for (const secret of [text, TOKEN, made.secret, "hidden-query"]) expect(whole).not.toContain(secret);
    const { text: admin } = await keyFor(served, { role: "admin" });
    const own = (await (await call("GET", "/audit", undefined, bearer(admin))).json()) as AuditPage;
    expect(facts(own)).toEqual(["ci createKey denied FORBIDDEN acme"]);
  });

  test("flush waits for entries that are being written", async () => {
    const { ledger } = await testServer([]);
    const { audit } = ledger.store;
    const { recordAudit } = audit;
    let release = (): void => {};
    const isReleased = new Promise<void>((resolve) => (release = resolve));
    const slowly: typeof recordAudit = async (entries) => (await isReleased, recordAudit.apply(audit, [entries]));
    const trail = new AuditTrail({ ...audit, recordAudit: slowly }, { onError: () => {} });
    const actor = { tenantId: "acme", actor: "ci", actorKind: "key", actorId: "key_1", keyId: "key_1" } as const;
    const call = { action: "getMe", target: "GET /api/v1/me", outcome: "denied", code: "FORBIDDEN", count: 1 } as const;
    trail.recordDenied({ ...actor, ...call, requestId: "r", address: "a" });
    void trail.flush();
    const flushed = trail.flush().then(() => audit.listAudit({ tenantId: "*" }));
    setImmediate(release);
    expect(await flushed).toHaveLength(1);
  });

  test("an administrative call that cannot be recorded does not run", async () => {
    const { call, ledger } = await testServer([]);
    Object.assign(ledger.store.audit, { recordAudit: () => Promise.reject(new Error("full")) });
    expect((await call("POST", "/keys", { name: "bot", role: "viewer" })).status).toBe(500);
    expect(await ledger.store.access.listKeys({ tenantId: "*" })).toEqual([]);
  });
});
