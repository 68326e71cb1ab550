// @module-tag R-22
import { mkdtempSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fixedToken, testServer, TOKEN } from "@runledger/test-support/test-server";
import { expect, onTestFinished, test } from "vitest";
import { LocalToken } from "./local-token.js";

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "runledger-token-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

function makeOlder(folder: string, days: number): void {
  const time = new Date(Date.now() - days * 24 * 60 * 60 * 1000);
  utimesSync(join(folder, "token"), time, time);
}

test("a token expires after 30 days, also in a running server, and a new one replaces it", async () => {
  const folder = newFolder();
  const token = await LocalToken.open(folder);
  const first = await token.value();
  makeOlder(folder, 29);
  expect(await LocalToken.read(folder)).toBe(first);
  makeOlder(folder, 31);
  expect(await LocalToken.read(folder)).toBeNull();
  await expect.poll(() => token.matches(first)).toBe(false);
  const second = await LocalToken.read(folder);
  expect(second).not.toBe(first);
  expect(await token.matches(second!)).toBe(true);
  expect(await (await LocalToken.open(folder)).value()).toBe(second);
});

test.each(["x-forwarded-for", "forwarded", "via"])(
  "a request with the header %s came through a proxy, so the token and its sessions are refused",
  async (name) => {
    const { call } = await testServer([]);
    const forwarded = { [name]: "203.0.113.7" };
    expect((await call("GET", "/me")).status).toBe(200);
    expect((await call("GET", "/me", undefined, forwarded)).status).toBe(401);
    const login = await call("POST", "/session", { token: TOKEN });
    const [cookie = ""] = login.headers.getSetCookie();
    const session = { authorization: "", cookie: cookie.split(";")[0]! };
    expect((await call("GET", "/me", undefined, session)).status).toBe(200);
    expect((await call("GET", "/me", undefined, { ...session, ...forwarded })).status).toBe(401);
    expect((await call("POST", "/session", { token: TOKEN }, forwarded)).status).toBe(401);
  },
);

test.each([
  ["with Secure behind a proxy", ["127.0.0.1"], true],
  ["without Secure on loopback", undefined, false],
])("a session cookie is set %s", async (_, trustProxy, isSecure) => {
  const access = { token: fixedToken(TOKEN), ...(trustProxy && { trustProxy }) };
  const { call } = await testServer([], { access });
  const [cookie = ""] = (await call("POST", "/session", { token: TOKEN })).headers.getSetCookie();
  expect(cookie.includes("; Secure")).toBe(isSecure);
});
