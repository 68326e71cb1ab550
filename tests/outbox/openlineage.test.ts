// @module-tag D-30
/** Lineage of real runs on PostgreSQL, delivered to a receiver over HTTP, from which a consumer rebuilds the graph. */
import { startProgram } from "@runledger/test-support/runledger-command";
import { until } from "@runledger/test-support/until";
import { expect, test } from "vitest";
import { LineageGraph } from "./lineage-graph.js";
import { DECLARED_COLUMNS, DECLARED_EDGES, FIELDS, PAYLOAD } from "./lineage-workflows.js";
import { API_KEY, LineageWorld } from "./lineage-world.js";

test("a consumer rebuilds the declared graph from the events of runs with every outcome", async () => {
  const world = await open();
  const { ledger, receiver } = world;
  await world.play();
  await world.delivered();
  const graph = new LineageGraph(receiver.events);
  expect(graph.edges).toEqual(DECLARED_EDGES);
  expect(graph.columns).toEqual(DECLARED_COLUMNS);
  expect(graph.schemaOf("runledger|shop.orders")).toEqual(FIELDS);
  expect(graph.rowsOf("runledger|shop.orders")).toBe(12);
  expect(graph.childrenOf("prod|shop")).toEqual(
    ["report", "shop.extract", "shop.load", "shop.regions", "shop.regions.copy", "shop.report"].map(
      (job) => `prod|${job}`,
    ),
  );
  const states = (job: string) => graph.statesOf(`prod|${job}`);
  expect(states("shop")).toEqual([["START", "COMPLETE"]]);
  expect(states("shop.load")).toEqual([
    ["START", "FAIL"],
    ["START", "COMPLETE"],
  ]);
  expect(states("shop.regions.copy")).toEqual([
    ["START", "COMPLETE"],
    ["START", "COMPLETE"],
  ]);
  expect(states("report")).toEqual([["START", "COMPLETE"]]);
  expect(states("broken")).toEqual([["START", "FAIL"]]);
  expect(states("broken.fail")).toEqual([["START", "FAIL"]]);
  expect(states("broken.later")).toEqual([]);
  expect(states("endless")).toEqual([["START", "RUNNING", "ABORT"]]);
  expect(states("endless.wait")).toEqual([["START", "ABORT"]]);
  const failed = receiver.events.find(({ job, eventType }) => job.name === "broken.fail" && eventType === "FAIL");
  expect(failed?.run.facets["errorMessage"]?.["message"]).toContain("The disk is full.");
  expect(receiver.bodies.join("\n")).not.toContain(PAYLOAD);
  expect(receiver.bodies.join("\n")).not.toContain(API_KEY);
  expect(new Set(receiver.requests.map(({ url }) => url))).toEqual(new Set(["/api/v1/lineage"]));
  expect(new Set(receiver.requests.map(({ headers }) => headers.authorization))).toEqual(
    new Set([`Bearer ${API_KEY}`]),
  );
  expect(JSON.stringify(await ledger.subscriptions.get("lineage"))).not.toContain(API_KEY);
});

async function open(): Promise<LineageWorld> {
  const world = await LineageWorld.open();
  world.deliver();
  return world;
}

test("a rewind and a killed process repeat identical events", async () => {
  const world = await LineageWorld.open();
  const { ledger, receiver } = world;
  await world.play();
  const program = "tests/outbox/outbox-program.mjs";
  const dying = startProgram({ cwd: process.cwd() }, program, world.url, "published", "10");
  expect(await dying.ended).toMatchObject({ signal: "SIGKILL" });
  expect(receiver.bodies.length).toBeGreaterThan(0);
  world.deliver();
  await world.delivered();
  const all = new Set(receiver.bodies);
  expect(receiver.bodies.length).toBeGreaterThan(all.size); // events that the killed process has sent arrive again
  const { length } = receiver.bodies;
  const accepted = receiver.events.length;
  await ledger.subscriptions.rewind("lineage", "beginning");
  await world.delivered(accepted);
  const again = receiver.bodies.slice(length);
  expect(again.length).toBe(all.size);
  expect(new Set(again)).toEqual(all);
});

test("a test event reaches the receiver, and events wait while it is down", async () => {
  const world = await open();
  const { ledger, receiver } = world;
  expect(await ledger.subscriptions.test("lineage")).toEqual({ isDelivered: true });
  expect(receiver.events).toMatchObject([{ eventType: "OTHER", job: { namespace: "prod", name: "runledger.test" } }]);
  await receiver.stop();
  await world.play();
  const lastError = async () => (await ledger.subscriptions.get("lineage"))?.lastError?.message;
  await until(async () => (await lastError()) !== undefined);
  expect(await lastError()).toContain("The OpenLineage receiver cannot be reached");
  await receiver.start();
  await world.delivered();
  expect(new LineageGraph(receiver.events).edges).toEqual(DECLARED_EDGES);
});

test("wrong settings are refused, and name the setting", async () => {
  const { ledger } = await LineageWorld.open();
  const put = (settings: object) => {
    const bus = { type: "openlineage", url: "https://lineage.example.com", ...settings };
    return ledger.subscriptions.put({ id: "wrong", bus }).catch((error: unknown) => String(error));
  };
  expect(await put({ url: "ftp://lineage.example.com" })).toContain("bus.url");
  expect(await put({ namespace: "" })).toContain("bus.namespace");
  expect(await put({ secret: ["a"] })).toContain("bus.secret");
  expect(await put({ secret: "warehouse-password" })).toContain("start with lineage-");
  expect(await put({ secrets: ["a"] })).toContain("bus.secrets");
});
