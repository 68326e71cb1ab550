// @module-tag O-20
/** Ten clients start the same request at once, in two versions, and die on the way. One run is created. */
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, workflow, type Ledger } from "runledger";
import { afterAll, beforeAll, expect, test } from "vitest";
import { checkHistory, mergeHistories, readEnd, type Operation } from "@runledger/store-conformance";
import { inRepository } from "../../scripts/lib/repository.mjs";
import { freshDatabase, type FreshDatabase } from "@runledger/test-support/fresh-database";

const CLIENTS = 10;
const REQUEST = "nightly-2026-11-14";
const POINTS = ["sent", "answered", "none", "sent"];

let database: FreshDatabase;
let folder: string;
let ledger: Ledger;

beforeAll(async () => {
  database = await freshDatabase();
  folder = await mkdtemp(join(tmpdir(), "runledger-start-chaos-"));
  ledger = await connect(database.url);
});

afterAll(async () => {
  await ledger.close();
  await database.drop();
  await rm(folder, { recursive: true, force: true, maxRetries: 20 });
});

interface Client {
  readonly child: ChildProcess;
  readonly ready: Promise<unknown>;
  /** The run that the client received; `null` if it died before. */
  readonly told: Promise<string | null>;
}

function client(index: number): Client {
  const name = `client-${index}`;
  const point = POINTS[index % POINTS.length]!;
  const args = [database.url, name, join(folder, `${name}.jsonl`), point, String(1 + (index % 2)), REQUEST];
  const child = fork(inRepository("tests/chaos/start-process.mjs"), args, { execArgv: [] });
  let runId: string | null = null;
  child.on("message", (message) => void (runId = message === "ready" ? null : (message as string)));
  return { child, ready: once(child, "message"), told: once(child, "exit").then(() => runId) };
}

async function operations(): Promise<Operation[]> {
  const texts = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), "utf8")));
  return texts.flatMap((text) => text.split("\n").slice(0, -1)).map((line) => JSON.parse(line) as Operation);
}

test("ten clients that race, die and retry in another version start one run", async () => {
  const orders = workflow("orders", { version: "3" }, (w) => w.step("load", () => 3));
  const clients = Array.from({ length: CLIENTS }, (_, index) => client(index));
  await Promise.all(clients.map(({ ready }) => ready));
  for (const { child } of clients) child.send("go");
  const told = (await Promise.all(clients.map((each) => each.told))).filter((runId) => runId !== null);
  const again = await ledger.start(orders, { requestId: REQUEST, dedupe: "workflow" });
  expect(new Set([...told, again.id])).toEqual(new Set([again.id]));
  expect(told.length).toBeGreaterThan(0);
  expect((await ledger.store.fetchEvents(again.id)).map(({ eventType }) => eventType)).toEqual(["RunQueued"]);
  expect((await ledger.store.listHeads()).length).toBe(1);
  const history = mergeHistories([{ operations: await operations() }, await readEnd(ledger.store)]);
  expect(checkHistory(history).violations).toEqual([]);
});
