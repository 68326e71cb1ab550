// @module-tag U-13
/** JWTs of an issuer that serves its keys over HTTP. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey } from "jose";
import { describe, expect, onTestFinished, test } from "vitest";
import { testServer } from "@runledger/test-support/test-server";
import type { JwtOptions } from "./jwt.js";

interface Issuer {
  readonly url: string;
  keyRequests: number;
  /** Replaces the issuer's key. */
  rotate(): Promise<void>;
  token(
    claims?: Record<string, unknown>,
    parts?: { audience?: string; issuer?: string; expires?: number; typ?: string },
  ): Promise<string>;
}

const now = () => Math.floor(Date.now() / 1000);

async function startIssuer(): Promise<Issuer> {
  let current: { readonly kid: string; readonly privateKey: CryptoKey; readonly jwk: object };
  let rotations = 0;
  const issuer: Issuer = {
    url: "",
    keyRequests: 0,
    rotate: async () => {
      const { publicKey, privateKey } = await generateKeyPair("ES256");
      const kid = `key-${++rotations}`;
      current = { kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: "ES256", use: "sig" } };
    },
    token: (
      { sub = "u1", ...claims } = {},
      { audience = "runledger", issuer: by = issuer.url, expires = now() + 60, typ } = {},
    ) =>
      new SignJWT({ runledger_tenant: "acme", runledger_role: "operator", ...claims })
        .setProtectedHeader({ alg: "ES256", kid: current.kid, ...(typ === undefined ? {} : { typ }) })
        .setSubject(sub as string)
        .setIssuer(by)
        .setAudience(audience)
        .setExpirationTime(expires)
        .sign(current.privateKey),
  };
  await issuer.rotate();
  const server = createServer((request, response) => {
    const isDiscovery = request.url === "/.well-known/openid-configuration";
    if (!isDiscovery) issuer.keyRequests++;
    response.end(JSON.stringify(isDiscovery ? { jwks_uri: `${issuer.url}/keys` } : { keys: [current.jwk] }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return Object.assign(issuer, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
}

async function served(options: Partial<JwtOptions> = {}) {
  const issuer = await startIssuer();
  const jwt = { issuer: issuer.url, audience: "runledger", cooldownMs: 0, ...options };
  const server = await testServer([], { access: { jwt } });
  const me = (token: string) => server.call("GET", "/me", undefined, { authorization: `Bearer ${token}` });
  return { issuer, me };
}

describe("a JWT", () => {
  test("identifies the caller, its tenant and its role", async () => {
    const { issuer, me } = await served();
    const answer = await me(await issuer.token({ email: "ann@acme.example", email_verified: true }));
    expect(await answer.json()).toEqual({
      name: "ann@acme.example",
      tenantId: "acme",
      role: "operator",
      allTenants: false,
    });
    await me(await issuer.token());
    expect(issuer.keyRequests).toBe(1);
  });

  test.each<[string, Parameters<Issuer["token"]>]>([
    ["for another audience", [{}, { audience: "another" }]],
    ["of another issuer", [{}, { issuer: "https://evil.example" }]],
    ["that expired before the clock tolerance", [{}, { expires: now() - 60 }]],
    ["without a role", [{ runledger_role: "boss" }]],
    ["without a tenant", [{ runledger_tenant: undefined }]],
  ])("%s is refused", async (_, args) => {
    const { issuer, me } = await served();
    expect((await me(await issuer.token(...args))).status).toBe(401);
  });

  test.each<[string, Parameters<Issuer["token"]>]>([
    ["for all tenants", [{ runledger_tenant: "*" }]],
    ["of another type", [{}, { typ: "logout+jwt" }]],
  ])("%s is refused unless it is allowed", { tags: ["R-26"] }, async (_, args) => {
    const { issuer, me } = await served();
    expect((await me(await issuer.token(...args))).status).toBe(401);
  });

  test("may act for all tenants if the configuration allows it", { tags: ["R-26"] }, async () => {
    const { issuer, me } = await served({ allTenants: true });
    expect(await (await me(await issuer.token({ runledger_tenant: "*" }))).json()).toMatchObject({ allTenants: true });
  });

  test("has the types of access tokens", { tags: ["R-26"] }, async () => {
    const { issuer, me } = await served();
    for (const typ of ["JWT", "at+jwt"]) expect((await me(await issuer.token({}, { typ }))).status).toBe(200);
  });

  test("names its caller by an email only if the issuer has verified it", { tags: ["R-26"] }, async () => {
    const { issuer, me } = await served();
    for (const email_verified of [undefined, false, "true"])
      expect(await (await me(await issuer.token({ email: "boss@acme.example", email_verified }))).json()).toMatchObject(
        {
          name: "u1",
        },
      );
  });

  test("that expired within the clock tolerance is accepted", async () => {
    const { issuer, me } = await served({ clockToleranceSeconds: 30 });
    expect((await me(await issuer.token({}, { expires: now() - 5 }))).status).toBe(200);
  });

  test("without a signature, or with a symmetric one, is refused", async () => {
    const { issuer, me } = await served();
    const [, payload] = (await issuer.token()).split(".");
    const unsigned = `${Buffer.from('{"alg":"none"}').toString("base64url")}.${payload}.`;
    expect((await me(unsigned)).status).toBe(401);
    const symmetric = await new SignJWT({ runledger_tenant: "acme", runledger_role: "admin" })
      .setProtectedHeader({ alg: "HS256", kid: "key-1" })
      .setSubject("u1")
      .setIssuer(issuer.url)
      .setAudience("runledger")
      .setExpirationTime("1h")
      .sign(new TextEncoder().encode("x".repeat(32)));
    expect((await me(symmetric)).status).toBe(401);
  });

  test("with the new key is accepted after the issuer rotated its keys, and one with the old key is refused", async () => {
    const { issuer, me } = await served();
    const old = await issuer.token();
    expect((await me(old)).status).toBe(200);
    await issuer.rotate();
    expect((await me(await issuer.token())).status).toBe(200);
    expect((await me(old)).status).toBe(401);
  });

  test("can contain its role in a nested list", async () => {
    const { issuer, me } = await served({ roleClaim: "realm_access.roles", tenantClaim: "org", defaultTenant: "acme" });
    const token = await issuer.token({ realm_access: { roles: ["offline", "viewer", "engineer"] } });
    expect(await (await me(token)).json()).toMatchObject({ role: "engineer", tenantId: "acme" });
  });

  test("gets ISSUER_UNAVAILABLE while the issuer does not respond", async () => {
    const { issuer, me } = await served({ issuer: "http://127.0.0.1:1", jwksUrl: "http://127.0.0.1:1/keys" });
    const answer = await me(await issuer.token({}, { issuer: "http://127.0.0.1:1" }));
    expect(answer.status).toBe(503);
  });
});
