// @module-tag B-05
/** A webhook cannot be used against the internal network. Uses real sockets on loopback. */
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { testEvent } from "../cloud-event.js";
import { BusUnavailableError } from "../event-bus.js";
import { isRefused, listOf } from "./internal-addresses.js";
import type { ResolveName } from "./send-request.js";
import { signatureHeaders } from "./signature.js";
import { webhookBus } from "./webhook-bus.js";

const message = {
  tenantId: "t",
  subscriptionId: "s",
  subscriptionNumber: 1,
  runId: "r",
  events: [testEvent("t", "e", "2026-11-16T08:00:00.000Z")],
};

async function serve(listener: RequestListener): Promise<{ readonly port: number; readonly calls: () => number }> {
  let calls = 0;
  const server = createServer((request, response) => (calls++, listener(request, response)));
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => (server.closeAllConnections(), void server.close()));
  return { port: (server.address() as AddressInfo).port, calls: () => calls };
}

interface Options {
  readonly allow?: readonly string[];
  readonly resolve?: ResolveName;
}

async function publish(url: string, options: Options = {}): Promise<unknown> {
  const bus = webhookBus(options).open({ type: "webhook", url }, { tenantId: "t", secrets: async () => [] });
  const outcome = await bus.publish(message, AbortSignal.timeout(5000)).catch((error: unknown) => error);
  await bus.close?.();
  return outcome;
}

test("private, link-local and metadata addresses are refused in every spelling", () => {
  const none = listOf([]);
  const internal = ["127.0.0.1", "10.1.2.3", "172.31.0.1", "192.168.0.1", "169.254.169.254", "100.64.0.1", "0.0.0.0"];
  const six = [
    "::1",
    "::",
    "fe80::1",
    "fd00:ec2::254",
    "::ffff:127.0.0.1",
    "::ffff:a9fe:a9fe",
    "64:ff9b::a00:1",
    "2002:7f00:1::",
  ];
  for (const address of [...internal, ...six]) expect(isRefused(address, none), address).toBe(true);
  for (const address of ["93.184.216.34", "2606:2800:220:1:248:1893:25c8:1946", "172.32.0.1"])
    expect(isRefused(address, none), address).toBe(false);
  expect(isRefused("10.1.2.3", listOf(["10.1.0.0/16"]))).toBe(false);
  expect(isRefused("10.2.2.3", listOf(["10.1.0.0/16"]))).toBe(true);
  expect(isRefused("::ffff:10.1.2.3", listOf(["10.1.2.3"]))).toBe(false);
  expect(() => listOf(["10.0.0.0/40"])).toThrow("10.0.0.0/40");
});

test("a request to an internal address is not sent unless the address is allowed", async () => {
  const server = await serve((_, response) => response.end());
  const hosts = ["127.0.0.1", "2130706433", "0x7f.1", "localhost"];
  for (const host of hosts) {
    const refused = await publish(`http://${host}:${server.port}/`);
    expect(refused, host).toBeInstanceOf(BusUnavailableError);
    expect(String(refused)).toContain("internal network");
  }
  expect(server.calls()).toBe(0);
  expect(await publish(`http://127.0.0.1:${server.port}/`, { allow: ["127.0.0.0/8"] })).toBe(undefined);
  expect(server.calls()).toBe(1);
});

test("a name is resolved once, and the connection uses the address that was checked", async () => {
  const server = await serve((_, response) => response.end());
  const names: string[] = [];
  const rebinding: ResolveName = (name, _, done) => {
    names.push(name); // public at first, then internal
    done(null, [{ address: names.length === 1 ? "127.0.0.2" : "127.0.0.1", family: 4 }]);
  };
  const outcome = await publish(`http://hook.example:${server.port}/`, { resolve: rebinding, allow: ["127.0.0.2"] });
  expect(String(outcome)).toContain("ECONNREFUSED 127.0.0.2"); // the server listens at 127.0.0.1 only
  expect([names.length, server.calls()]).toEqual([1, 0]);
});

test("a name with one internal address among others is refused", async () => {
  const mixed: ResolveName = (_, __, done) =>
    done(null, [
      { address: "93.184.216.34", family: 4 },
      { address: "10.0.0.1", family: 4 },
    ]);
  expect(String(await publish("http://hook.example/", { resolve: mixed }))).toContain("hook.example (10.0.0.1)");
});

test("redirects are not followed", async () => {
  const target = await serve((_, response) => response.end());
  const server = await serve((_, response) =>
    response.writeHead(307, { location: `http://127.0.0.1:${target.port}/` }).end(),
  );
  const outcome = await publish(`http://127.0.0.1:${server.port}/`, { allow: ["127.0.0.1"] });
  expect(String(outcome)).toContain("Redirects are not followed");
  expect(target.calls()).toBe(0);
});

test("an endless answer is cut off", async () => {
  let written = 0;
  const server = await serve((_, response) => {
    response.writeHead(200);
    const more = (): void => {
      while (!response.destroyed && response.write("x".repeat(64 * 1024))) written += 64 * 1024;
    };
    response.on("drain", more);
    more();
  });
  expect(await publish(`http://127.0.0.1:${server.port}/`, { allow: ["127.0.0.1"] })).toBe(undefined);
  expect(written).toBeLessThan(64 * 1024 * 1024); // as much as the buffers of both sides hold
});

test("answers about the endpoint blame no event, answers about the event do", async () => {
  let status = 0;
  const server = await serve((_, response) => response.writeHead(status, { "retry-after": "7" }).end("no"));
  const judged = async (code: number): Promise<unknown> => {
    status = code;
    return publish(`http://127.0.0.1:${server.port}/`, { allow: ["127.0.0.1"] });
  };
  for (const code of [401, 403, 404, 410, 429, 502, 503, 504])
    expect(await judged(code), String(code)).toMatchObject({ name: "BusUnavailableError", retryAfterMs: 7000 });
  for (const code of [400, 409, 413, 422, 500])
    expect(await judged(code), String(code)).toMatchObject({
      name: "Error",
      message: `The webhook answered ${code}: no`,
    });
});

test("settings are checked", () => {
  const check = (settings: object) => () => webhookBus({}).check!({ type: "webhook", ...settings });
  expect(check({ url: "ftp://example.com" })).toThrow("bus.url");
  expect(check({ url: "https://user:password@example.com" })).toThrow("must not contain a user");
  expect(check({ url: "https://example.com", secrets: "key" })).toThrow("bus.secrets");
  expect(check({ url: "https://example.com", batchSize: 0 })).toThrow("bus.batchSize");
  expect(check({ url: "https://example.com", secret: "key" })).toThrow("bus.secret: is not a setting");
});

test("the signature matches the example of the specification", { tags: ["B-02"] }, () => {
  const signed = { id: "msg_p5jXN8AQM9LWM0D4loKWxJek", timestamp: 1614265330, body: '{"test": 2432232314}' };
  expect(signatureHeaders(signed, ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"])).toEqual({
    "webhook-id": signed.id,
    "webhook-timestamp": "1614265330",
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  });
});
