// @module-tag U-10
/** Lists runs over HTTP, on a real database. */
import { newEvent, omitUndefined, type FullStateStore, type Json } from "@runledger/contracts";
import { evolveAll, initialState, toRunHeader } from "@runledger/core";
import { workflow } from "@runledger/runtime";
import { describe, expect, onTestFinished, test } from "vitest";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { rawViewer } from "@runledger/test-support/raw-viewer";
import { until } from "@runledger/test-support/until";
import { testServer } from "@runledger/test-support/test-server";

async function served(options: Parameters<typeof testServer>[1] = {}) {
  const database = await freshDatabase();
  onTestFinished(() => database.drop());
  return testServer([], { store: database.url, streams: { listPollMs: 20 }, ...options });
}

/** Saves a run as a projector would. */
async function record(store: FullStateStore, runId: string, types: readonly string[], data: Json = {}): Promise<void> {
  const before = await store.snapshots.readProjection({ runId, stepIds: [] });
  const events = types.map((eventType) =>
    newEvent({
      runId,
      planId: "orders",
      planVersion: "1",
      eventType,
      eventData: eventType === "RunQueued" ? data : {},
    }),
  );
  await store.appendEvents(events);
  const state = evolveAll(initialState(runId), await store.fetchEvents(runId));
  const readSeq = before?.header.lastEventSeq ?? 0;
  expect(await store.snapshots.saveProjection({ readSeq, header: toRunHeader(state), steps: [] })).toBe(true);
}

const plan = { plan: { planId: "orders", planVersion: "1" }, logFormat: 1 };

describe("the run list", () => {
  test("can be filtered, paged and counted, and gets 304 if unchanged", async () => {
    const { ledger, client, call } = await served();
    for (const n of [1, 2, 3, 4, 5]) {
      const labels = n % 2 === 0 ? { team: "data" } : { team: "web:eu" };
      await record(ledger.store, `run-${n}`, n < 5 ? ["RunQueued", "RunStarted"] : ["RunQueued"], { ...plan, labels });
    }
    const first = await client.listRuns({ limit: 2 });
    expect(first.items.map(({ runId }) => runId)).toEqual(["run-5", "run-4"]);
    await record(ledger.store, "run-6", ["RunQueued"], plan);
    const second = await client.listRuns({ limit: 2, after: first.next! });
    expect(second.items.map(({ runId }) => runId)).toEqual(["run-3", "run-2"]);
    const running = await client.listRuns({ status: ["RUNNING"], labels: { team: "web:eu" } });
    expect(running.items.map(({ runId }) => runId)).toEqual(["run-3", "run-1"]);
    expect(await client.countRuns({ workflow: "orders" })).toMatchObject({ RUNNING: 4, PENDING: 2, FAILED: 0 });
    const [from, to] = [new Date(Date.now() - 60_000), new Date(Date.now() + 60_000)].map((at) => at.toISOString());
    const { bars } = await client.runHistogram({ from: from!, to: to!, bucket: "minute" });
    expect(bars.reduce((sum, bar) => sum + bar.counts.RUNNING + bar.counts.PENDING, 0)).toBe(6);
    const answer = await call("GET", "/runs");
    const again = await call("GET", "/runs", undefined, { "if-none-match": answer.headers.get("etag")! });
    expect(again.status).toBe(304);
  });

  test("marks runs that wait for an approval before they start", async () => {
    const approved = workflow("approved", { version: "1", approval: true }, (w) => w.step("a", () => 1));
    const plain = workflow("plain", { version: "1" }, (w) => w.step("a", () => 1));
    const { ledger, client } = await served();
    ledger.projector();
    const runs = [await ledger.start(approved), await ledger.start(plain)];
    await expect.poll(async () => (await client.listRuns()).items.length).toBe(2);
    const waits = new Map((await client.listRuns()).items.map(({ runId, waitsFor }) => [runId, waitsFor]));
    expect(runs.map(({ id }) => waits.get(id))).toEqual(["approval", undefined]);
    for await (const { runs: told } of client.streamRuns({ workflow: "approved" })) {
      expect(told).toMatchObject([{ runId: runs[0]!.id, waitsFor: "approval" }]);
      break;
    }
  });

  test("reports what the steps of a started run wait for, until it arrives", async () => {
    const patient = workflow("patient", { version: "1" }, (w) => {
      const go = w.waitForSignal("go");
      w.sleep("pause", { for: "1h" });
      return w.waitForSignal("stop", { after: [go] });
    });
    const { ledger, client } = await served();
    ledger.projector();
    await ledger.worker({ workflows: [patient] });
    const { id } = await ledger.start(patient);
    const waitsFor = async () => (await client.listRuns()).items[0]?.waitsFor;
    await expect.poll(waitsFor).toBe("signal go, timer");
    expect((await client.getRun(id)).waits).toEqual({ "signal go": 1, timer: 1 });
    await ledger.signal(id, "go", null);
    await expect.poll(waitsFor).toBe("signal stop, timer");
    await ledger.act(id, "CANCEL");
    await expect.poll(async () => (await client.listRuns()).items[0]).toMatchObject({ status: "CANCELLED" });
    expect(await waitsFor()).toBeUndefined();
  });

  test.each([
    ["status=NOPE", "query.status.0"],
    ["labels=team", "query.labels.0"],
    ["createdFrom=yesterday", "query.createdFrom"],
    ["after=nonsense", "cursor"],
    ["limit=1000", "query.limit"],
  ])("refuses %s", async (query, field) => {
    const { call } = await testServer([]);
    const response = await call("GET", `/runs?${query}`);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ field });
  });
});

describe("the list stream", { tags: ["U-11"] }, () => {
  test("sends the newest runs, then changes, and runs that leave the list", async () => {
    const { ledger, client } = await served();
    await record(ledger.store, "run-1", ["RunQueued", "RunStarted"], plan);
    const list = new Map<string, string>();
    const seen: string[] = [];
    const enough = new AbortController();
    for await (const { type, runs, gone } of client.streamRuns({ status: ["RUNNING"] }, { signal: enough.signal })) {
      if (type === "snapshot") list.clear();
      for (const run of runs) if (run.stale !== true) list.set(run.runId, `${run.runId}:${run.lastEventSeq}`);
      for (const runId of gone) list.delete(runId);
      const now = [...list.values()].toSorted().join(" ");
      if (now === seen.at(-1)) continue; // the run was stale for a moment
      seen.push(now);
      if (seen.length === 1) await record(ledger.store, "run-2", ["RunQueued", "RunStarted"], plan);
      else if (seen.length === 2) await record(ledger.store, "run-1", ["Noted"]);
      else if (seen.length === 3) await record(ledger.store, "run-2", ["RunCompleted"]);
      else enough.abort();
    }
    expect(seen).toEqual(["run-1:2", "run-1:2 run-2:2", "run-1:3 run-2:2", "run-1:3"]);
  });

  test("is polled once for a thousand readers, and resumes after Last-Event-ID", async () => {
    const { ledger, server } = await served({ streams: { listPollMs: 50, stalledMs: 240_000 } });
    const { index } = ledger.store;
    let polls = 0;
    const { listRuns } = index;
    Object.assign(index, {
      listRuns: (...args: Parameters<typeof listRuns>) => (polls++, listRuns.apply(index, args)),
    });
    await record(ledger.store, "run-1", ["RunQueued"], plan);
    const viewers = await Promise.all(Array.from({ length: 1000 }, () => openStream(server.url)));
    const firsts = await Promise.all(viewers.map((viewer) => viewer.next()));
    expect(firsts.every((text) => text.includes("event: snapshot"))).toBe(true);
    const [before, since] = [polls, performance.now()];
    await record(ledger.store, "run-2", ["RunQueued"], plan);
    const seconds = await Promise.all(viewers.map((viewer) => viewer.next()));
    expect(new Set(seconds).size).toBe(1);
    expect(polls - before).toBeLessThan(3 + (performance.now() - since) / 49); // one poll per 50 ms, not one per reader
    await record(ledger.store, "run-3", ["RunQueued"], plan);
    const [lastId] = /(?<=id: ).*/.exec(seconds[0]!)!;
    const returned = await openStream(server.url, lastId);
    const missed = await returned.next();
    expect(missed).toContain("run-3");
    expect(missed).not.toContain("run-2");
    const stranger = await openStream(server.url, "another-life.7");
    expect(await stranger.next()).toMatch(/event: snapshot\n.*run-3.*run-2.*run-1/);
    for (const viewer of [...viewers, returned, stranger]) viewer.close();
  });

  test("is closed for a stalled reader and continues for the others", async () => {
    const { ledger, server, client } = await served({ streams: { listPollMs: 20, stalledMs: 300 } });
    const { index } = ledger.store;
    const { listRuns } = index;
    let polls = 0;
    // Each poll finds a run that changed by a megabyte, which soon exceeds all buffers between server and reader.
    const busy: typeof listRuns = async (...args) => {
      const { runs, cursor } = await listRuns.apply(index, args);
      const labels = { look: String(++polls), text: "x".repeat(1024 * 1024) };
      return { runs: runs.map((run) => ({ ...run, labels })), cursor };
    };
    Object.assign(index, { listRuns: busy });
    await record(ledger.store, "run-1", ["RunQueued"], plan);
    const seen: number[] = [];
    const enough = new AbortController();
    const quick = (async () => {
      for await (const { runs } of client.streamRuns({}, { signal: enough.signal }))
        seen.push(...runs.map(({ labels }) => Number(labels!["look"])));
    })();
    await expect.poll(() => seen.length).toBeGreaterThan(0);
    const slow = await rawViewer(server.url, "/stream");
    await expect.poll(slow.text).toContain("event: snapshot");
    slow.socket.pause();
    const openStreams = async () => (await client.getHealth()).openStreams;
    await expect.poll(openStreams).toBe(1); // before the reader reads more
    const { length } = seen;
    await expect.poll(() => seen.length).toBeGreaterThan(length);
    enough.abort();
    await quick;
    expect(seen).toEqual([...new Set(seen)].toSorted((one, other) => one - other));
  });
});

/** Reads messages of a stream one by one. Uses a raw socket, because `fetch` times out when a thousand connect at once. */
async function openStream(url: string, lastEventId?: string) {
  const place = omitUndefined({ lastEventId });
  const { socket, text } = await rawViewer(url, "/stream", place);
  let read = 0;
  const next = async (): Promise<string> => {
    for (;;) {
      await until(() => text().indexOf("\n\n", read) >= 0);
      const end = text().indexOf("\n\n", read);
      const message = text().slice(read, end);
      read = end + 2;
      if (message.includes("\ndata: ")) return message;
    }
  };
  return { next, close: () => socket.destroy() };
}
