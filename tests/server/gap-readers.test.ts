// @module-tag H-10
/** Readers of a run whose append authority leaves gaps (P10), while a gap is open, after it has filled, and after it is dead. */
import { newEvent, type NewEvent } from "@runledger/contracts";
import { inProcessBus } from "@runledger/runtime/outbox/event-bus";
import { Outbox } from "@runledger/runtime/outbox/outbox";
import { drawNumber, storeDrawn } from "@runledger/test-support/drawn-events";
import { freshDatabase, type FreshDatabase } from "@runledger/test-support/fresh-database";
import { runledger } from "@runledger/test-support/hosted-commands";
import { freshFolder } from "@runledger/test-support/runledger-command";
import { testServer, type TestServer } from "@runledger/test-support/test-server";
import { until } from "@runledger/test-support/until";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";

let database: FreshDatabase;
let store: string;

beforeAll(async () => {
  database = await freshDatabase({ migrated: false });
  store = `${database.url}?authority=sequence`;
});
afterAll(() => database.drop());

const event = (runId: string, eventType: string, stepId?: string): NewEvent =>
  newEvent({ runId, eventType, planVersion: "1", ...(stepId !== undefined && { stepId }) });

/** 1 to 3 are stored, 4 is drawn, 5 and 6 are stored: the run is complete at 6. */
async function withGap(runId: string): Promise<TestServer> {
  const world = await testServer([], { store });
  const append = (...events: readonly NewEvent[]) => world.ledger.store.appendEvents(events);
  await append(event(runId, "RunStarted"), event(runId, "StepStarted", "a"), event(runId, "StepCompleted", "a"));
  expect(await drawNumber(database.url, runId)).toBe(4);
  await append(event(runId, "StepStarted", "c"), event(runId, "RunCompleted"));
  return world;
}

const fill = (runId: string): Promise<void> => storeDrawn(database.url, event(runId, "StepStarted", "b"), 4);

const ways = [
  { way: "fills late", runId: "late", close: (_: TestServer) => fill("late"), seqs: [1, 2, 3, 4, 5, 6] },
  {
    way: "is dead",
    runId: "dead",
    close: ({ ledger }: TestServer) => ledger.store.settling!.settleSeq({ runId: "dead", seq: 4 }),
    seqs: [1, 2, 3, 5, 6],
  },
];

for (const { way, runId, close, seqs } of ways)
  test(`a gap that ${way}: every reader stops before it, and then continues without loss or repetition`, async () => {
    const world = await withGap(runId);
    const { client, ledger, call } = world;
    const streamed: number[] = [];
    const watched: number[] = [];
    const delivered: number[] = [];
    const stopWatch = new AbortController();
    const streaming = (async () => {
      for await (const { runSeq } of client.streamRun(runId)) streamed.push(runSeq);
    })();
    const watching = (async () => {
      for await (const message of client.watch({ runs: { [runId]: 0 } }, { signal: stopWatch.signal }))
        if (message.type === "event") watched.push(message.event.runSeq);
    })().catch(() => {});
    await publish(world, runId, delivered);
    await until(() => [streamed, watched, delivered].every((seen) => seen.length === 3));

    expect(await pages(world, runId)).toEqual([1, 2, 3]);
    expect(await client.listEvents(runId)).not.toHaveProperty("settledSeq");
    const before = await call("GET", `/runs/${runId}`);
    expect(await before.json()).toMatchObject({ lastEventSeq: 3, status: "RUNNING", stale: true });
    expect(before.headers.get("etag")).toBeNull(); // the head stays the same when the gap fills
    const waiting = client.getRun(runId, { wait: "25s" });

    await close(world);
    expect(await waiting).toMatchObject({ status: "COMPLETED", lastEventSeq: 6 });
    await streaming;
    await until(() => [watched, delivered].every((seen) => seen.length === seqs.length));
    stopWatch.abort();
    await watching;
    expect({ streamed, watched, delivered }).toEqual({ streamed: seqs, watched: seqs, delivered: seqs });

    expect(await pages(world, runId)).toEqual(seqs);
    const { settledSeq } = await client.listEvents(runId);
    expect(settledSeq).toBe(seqs.includes(4) ? undefined : 4);
    const steps = seqs.includes(4) ? ["a", "b", "c"] : ["a", "c"];
    expect((await client.listSteps(runId)).items.map(({ stepId }) => stepId)).toEqual(steps);
    expect(await client.getRun(runId, { atSeq: 4 })).toMatchObject({ lastEventSeq: seqs.includes(4) ? 4 : 3 });
    expect((await client.listSteps(runId, { atSeq: 5 })).items).toHaveLength(steps.length);
    expect((await client.getRunOutline(runId, { atSeq: 5 })).run.lastEventSeq).toBe(5);
    expect(await client.diffRuns(runId, runId)).toMatchObject({ compared: steps.length, differences: 0 });
    expect((await ledger.store.projectSnapshot(runId)).steps.map(({ stepId }) => stepId)).toEqual(steps);

    const where = { cwd: freshFolder(), env: { RUNLEDGER_STORE: store } };
    const events = await runledger(where, "events", runId, "--json");
    expect(linesOf(events.stdout).map(({ runSeq }) => runSeq)).toEqual(seqs);
    const shown = await runledger(where, "watch", runId);
    expect(shown).toMatchObject({ code: 0 });
    for (const step of steps) expect(shown.stdout).toContain(step);
    const verified = await runledger(where, "store", "verify");
    expect(verified, verified.stderr).toMatchObject({ code: 0 });
  });

test("copies leave out a run with a dead gap, and name it", async () => {
  const { ledger } = await withGap("kept");
  await ledger.store.settling!.settleSeq({ runId: "kept", seq: 4 });
  await ledger.store.appendEvents([event("whole", "RunStarted"), event("whole", "RunCompleted")]);
  const where = { cwd: freshFolder(), env: { RUNLEDGER_STORE: store } };
  const { code, stderr, stdout } = await runledger(where, "store", "export", "--to", "copy");
  expect(code).toBe(1);
  expect(stderr + stdout).toContain("Run kept was not copied. Event 4 is missing");
  expect(stderr + stdout).not.toContain("Run whole");
});

async function publish({ ledger }: TestServer, runId: string, delivered: number[]): Promise<void> {
  const name = { tenantId: "default", subscriptionId: `for-${runId}` };
  const publishHere = inProcessBus(({ runId: ofRun, subscriptionId, events }) => {
    if (ofRun === runId && subscriptionId === name.subscriptionId)
      delivered.push(...events.map(({ sequence }) => Number(sequence)));
  });
  const outbox = new Outbox(
    ledger.store,
    { pollMs: 20, buses: { here: publishHere } },
    { secrets: { resolve: async () => ({}) } },
  );
  onTestFinished(() => outbox.stop());
  const definition = { bus: { type: "here" }, filter: {}, maxAttempts: 20 };
  await ledger.store.outbox.createSubscription({ ...name, definition, startsAt: null });
}

async function pages({ client }: TestServer, runId: string): Promise<number[]> {
  const seqs: number[] = [];
  for (let after: string | null = "0"; after !== null;) {
    const page = await client.listEvents(runId, { after: Number(after), limit: 2 });
    seqs.push(...page.items.map(({ runSeq }) => runSeq));
    after = page.next;
  }
  return seqs;
}

const linesOf = (text: string) =>
  text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { runSeq: number });
