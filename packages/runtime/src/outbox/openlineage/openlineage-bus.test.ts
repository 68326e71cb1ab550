// @module-tag D-30
/** Requests to a receiver of lineage, and its answers. Uses real sockets on loopback. */
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { newEvent, RetryError } from "@runledger/contracts";
import { expect, onTestFinished, test } from "vitest";
import { testEvent, toCloudEvent } from "../cloud-event.js";
import { BusUnavailableError } from "../event-bus.js";
import { openLineageBus } from "./openlineage-bus.js";
import type { LogReader } from "./run-logs.js";

const ADDRESS = { tenantId: "t", subscriptionId: "s", subscriptionNumber: 1, runId: "r" };
const TEST = { ...ADDRESS, runId: "test", events: [testEvent("t", "e", "2026-11-16T08:00:00.000Z")] };

const nothing: LogReader = { fetchEvents: async () => [], fetchByKeys: async () => [] };

async function receive(status: number) {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    response.writeHead(status, { "retry-after": "7" }).end("no");
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => (server.closeAllConnections(), void server.close()));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

interface Options {
  readonly url: string;
  readonly settings?: object;
  readonly allow?: readonly string[];
  readonly log?: LogReader;
  readonly eventType?: string;
  readonly secrets?: (names: readonly string[]) => Promise<readonly string[]>;
}

const runEvent = (eventType: string) => {
  return { ...newEvent({ runId: "r", planId: "p", planVersion: "1", eventType }), runSeq: 2 };
};

/** Returns the error, or `undefined` if the event was accepted. */
async function publish({ url, settings, allow = ["127.0.0.1"], log = nothing, eventType, ...rest }: Options) {
  const { secrets = async (names) => names.map((name) => `key of ${name}`) } = rest;
  const factory = openLineageBus({ allow, logOf: () => log });
  const bus = factory.open({ type: "openlineage", url, ...settings }, { tenantId: "t", secrets });
  const sent = eventType === undefined ? TEST : { ...ADDRESS, events: [toCloudEvent(runEvent(eventType), "t")] };
  const outcome = await bus.publish(sent, AbortSignal.timeout(5000)).catch((error: unknown) => error);
  await bus.close?.();
  return outcome;
}

test("the path of the API follows the address, and the key is a bearer token", async () => {
  const { url, requests } = await receive(201);
  expect(await publish({ url: `${url}/openapi/openlineage/`, settings: { secret: "lineage-key" } })).toBe(undefined);
  expect(await publish({ url })).toBe(undefined);
  expect(requests.map(({ url: path, headers }) => [path, headers.authorization])).toEqual([
    ["/openapi/openlineage/api/v1/lineage", "Bearer key of lineage-key"],
    ["/api/v1/lineage", undefined],
  ]);
});

test("an event without a counterpart sends nothing", async () => {
  const { url, requests } = await receive(500);
  expect(await publish({ url, eventType: "SignalAccepted" })).toBe(undefined);
  expect(requests.length).toBe(0);
});

test("internal addresses are refused unless they are allowed", async () => {
  const { url, requests } = await receive(201);
  const refused = await publish({ url, allow: [] });
  expect(refused).toBeInstanceOf(BusUnavailableError);
  expect(String(refused)).toContain("belongs to an internal network");
  expect(requests.length).toBe(0);
});

test("an unavailable receiver, key or store blames no event, and any other answer does", async () => {
  const busy = await receive(503);
  expect(await publish(busy)).toMatchObject({
    name: "BusUnavailableError",
    message: "The OpenLineage receiver answered 503: no",
    retryAfterMs: 7000,
  });
  const refusing = await receive(422);
  expect(await publish(refusing)).toMatchObject({
    name: "Error",
    message: "The OpenLineage receiver answered 422: no",
  });
  const secrets = async () => Promise.reject(new Error("The vault is sealed."));
  expect(await publish({ ...refusing, settings: { secret: "lineage-key" }, secrets })).toMatchObject({
    name: "BusUnavailableError",
    message: "The vault is sealed.",
  });
  const log = {
    ...nothing,
    fetchEvents: async () => Promise.reject(new RetryError("STORE_UNAVAILABLE", "The store is down.")),
  };
  expect(await publish({ ...refusing, log, eventType: "RunStarted" })).toBeInstanceOf(BusUnavailableError);
});
