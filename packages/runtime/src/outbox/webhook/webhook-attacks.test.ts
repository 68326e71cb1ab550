// @module-tag B-05
/** Attempts to reach the internal network, or to exhaust the sender, through a webhook. Uses real sockets on loopback. */
import { createServer, type Socket } from "node:net";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { testEvent } from "../cloud-event.js";
import { BusUnavailableError, publishInTime } from "../event-bus.js";
import { isRefused, listOf } from "./internal-addresses.js";
import type { ResolveName } from "./send-request.js";
import { webhookBus } from "./webhook-bus.js";

const events = [testEvent("t", "e", "2026-11-16T08:00:00.000Z")];
const message = { tenantId: "t", subscriptionId: "s", subscriptionNumber: 1, runId: "r", events };

interface Options {
  readonly allow?: readonly string[];
  readonly resolve?: ResolveName;
  readonly ms?: number;
}

async function publish(url: string, { ms = 5000, ...options }: Options = {}): Promise<unknown> {
  const bus = webhookBus(options).open({ type: "webhook", url }, { tenantId: "t", secrets: async () => [] });
  const outcome = await publishInTime(bus, message, ms).catch((error: unknown) => error);
  await bus.close?.();
  return outcome;
}

/** Listens on loopback and counts connections, so that also a connection without a request is noticed. */
async function listen(talk: (socket: Socket) => void = () => {}) {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => {}); // the sender cuts connections
    socket.once("data", () => talk(socket));
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, sockets };
}

test("no spelling of an internal host opens a connection", async () => {
  const { port, sockets } = await listen();
  const four = ["127.1", "127.0.1", "017700000001", "0x7f000001", "2130706433", "0177.0.0.0x1", "127.0.0.1.", "0"];
  const six = ["[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[0:0:0:0:0:ffff:127.0.0.1]", "[::127.0.0.1]"];
  const others = ["①②⑦.⓪.⓪.①", "localhost", "LOCALHOST", "169.254.169.254", "[fd00:ec2::254]"];
  for (const scheme of ["http", "https"])
    for (const host of [...four, ...six, ...others]) {
      const outcome = await publish(`${scheme}://${host}:${port}/`);
      expect(outcome, `${scheme} ${host}`).toBeInstanceOf(BusUnavailableError);
      expect(String(outcome), `${scheme} ${host}`).toContain("internal network");
    }
  expect(sockets.length).toBe(0);
});

test("no form in which a resolver returns an internal address opens a connection", async () => {
  const { port, sockets } = await listen();
  const addresses = [
    ["127.0.0.1", 4],
    ["10.0.0.1", 4],
    ["169.254.169.254", 4],
    ["::1", 6],
    ["::ffff:127.0.0.1", 6],
    ["0:0:0:0:0:ffff:7f00:1", 6],
    ["::ffff:0:7f00:1", 6],
    ["64:ff9b::7f00:1", 6],
    ["fe80::1%lo", 6],
    ["fd00::1", 6],
    ["not an address", 4],
  ] as const;
  for (const scheme of ["http", "https"])
    for (const [address, family] of addresses) {
      const resolve: ResolveName = (_, __, done) => done(null, [{ address, family }]);
      expect(String(await publish(`${scheme}://hook.example:${port}/`, { resolve })), address).toContain(
        "internal network",
      );
    }
  expect(sockets.length).toBe(0);
});

test("an allowed address allows no other one, in any spelling", () => {
  const allowed = listOf(["10.1.0.0/16", "fd00:1::/32"]);
  for (const address of ["10.1.2.3", "::ffff:10.1.2.3", "fd00:1::5"]) expect(isRefused(address, allowed)).toBe(false);
  for (const address of ["10.2.0.1", "::ffff:10.2.0.1", "fd00:2::5", "127.0.0.1", "::1"])
    expect(isRefused(address, allowed), address).toBe(true);
});

const head = "HTTP/1.1 200 OK\r\n";
const answers: readonly [string, (socket: Socket) => void][] = [
  ["sends no answer", () => {}],
  ["sends its headers byte by byte", (socket) => trickle(socket, `${head}x-slow: `)],
  ["sends its body byte by byte", (socket) => trickle(socket, `${head}content-length: 1000000\r\n\r\n`)],
  ["announces an answer again and again", (socket) => trickle(socket, "", "HTTP/1.1 103 Early Hints\r\n\r\n")],
];

test.for(answers)("a receiver that %s is cut off in time", async ([, talk]) => {
  const { port, sockets } = await listen(talk);
  const outcome = await publish(`http://127.0.0.1:${port}/`, { allow: ["127.0.0.1"], ms: 300 });
  expect(outcome).toBeInstanceOf(BusUnavailableError);
  await expect.poll(() => sockets.every(({ destroyed }) => destroyed)).toBe(true);
});

test("endless headers and a change of the protocol end the connection", async () => {
  const headers = await listen((socket) => {
    socket.write(head);
    for (let n = 0; n < 2000; n++) socket.write(`x-${n}: ${"y".repeat(100)}\r\n`);
  });
  const endless = await listen((socket) => trickle(socket, head, `x: ${"y".repeat(10_000)}\r\n`));
  const upgrade = await listen((socket) =>
    socket.write("HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: raw\r\n\r\n"),
  );
  for (const { port, sockets } of [headers, endless, upgrade]) {
    const outcome = await publish(`http://127.0.0.1:${port}/`, { allow: ["127.0.0.1"] });
    expect(outcome).toBeInstanceOf(BusUnavailableError);
    expect(String(outcome)).toContain("cannot be reached"); // not because of the time limit
    await expect.poll(() => sockets.every(({ destroyed }) => destroyed)).toBe(true);
  }
});

/** Writes `start`, and then a little every few milliseconds until the other side closes. */
function trickle(socket: Socket, start: string, more = "x"): void {
  socket.write(start);
  const timer = setInterval(() => (socket.destroyed ? clearInterval(timer) : socket.write(more)), 5);
  socket.on("close", () => clearInterval(timer));
}
