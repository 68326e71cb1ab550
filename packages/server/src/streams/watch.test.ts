// @module-tag U-11
/** Several runs and lists in one stream, on a real database. */
import { RunledgerClient, type Watched, type WatchMessage } from "@runledger/client";
import { describe, expect, onTestFinished, test } from "vitest";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { appendNotes, upTo } from "@runledger/test-support/notes";
import { rawViewer, type RawViewer } from "@runledger/test-support/raw-viewer";
import { until } from "@runledger/test-support/until";
import { testServer, TOKEN } from "@runledger/test-support/test-server";
import { createApiKey } from "../auth/api-keys.js";

/** A busy machine may stall a thousand viewers for a while; they are not stuck. */
const PATIENT = { stalledMs: 240_000 };

async function served(options: Parameters<typeof testServer>[1] = {}) {
  const database = await freshDatabase();
  onTestFinished(() => database.drop());
  const streams = { pollMs: 20, listPollMs: 20, ...options.streams };
  return testServer([], { store: database.url, ...options, streams });
}

/** Collects messages until `isEnough` returns true. */
async function told(
  client: RunledgerClient,
  watched: Watched,
  isEnough: (messages: readonly WatchMessage[]) => boolean,
): Promise<readonly WatchMessage[]> {
  const messages: WatchMessage[] = [];
  for await (const message of client.watch(watched)) {
    messages.push(message);
    if (isEnough(messages)) break;
  }
  return messages;
}

const events = (messages: readonly WatchMessage[]) =>
  messages.flatMap((one) => (one.type === "event" ? [one.event] : []));
const seqs = (messages: readonly WatchMessage[], runId: string) =>
  events(messages).flatMap((event) => (event.runId === runId ? [event.runSeq] : []));
const named = (messages: readonly WatchMessage[], name: string) =>
  messages.flatMap((one) => ((one.type === "snapshot" || one.type === "change") && one.list === name ? [one] : []));
/** A subscriber that was too slow for a while catches up again, and reports it again. */
const caughtUp = (messages: readonly WatchMessage[]) => [
  ...new Set(messages.flatMap((one) => (one.type === "caught-up" ? [one.runId] : []))),
];
const seqsOf = ({ text }: RawViewer, runId: string) =>
  [...text().matchAll(/\ndata: \{"runId":"([^"]+)","runSeq":(\d+)/g)].flatMap(([, id, seq]) =>
    id === runId ? [Number(seq)] : [],
  );

async function keyOf(access: Parameters<typeof createApiKey>[0], tenantId: string) {
  return createApiKey(access, { name: "v", role: "viewer", tenantId, ttlMs: null, createdBy: "test" });
}

describe("a stream of several runs", () => {
  test("sends each run from the requested seq, in order and without gaps, while many writers append", async () => {
    const { ledger, client } = await served();
    const { store } = ledger;
    for (const runId of ["a", "b"]) await appendNotes(store, { runId, from: 1, count: 300 });
    const watched = { runs: { a: 0, b: 250 }, lists: { all: {} }, payloads: false };
    const stream = told(client, watched, (messages) => {
      const isListed = named(messages, "all").length > 0;
      return isListed && caughtUp(messages).length === 2 && events(messages).length === 500 + 250;
    });
    for (let from = 301; from <= 500; from += 50)
      await Promise.all(["a", "b"].map((runId) => appendNotes(store, { runId, from, count: 50 })));
    const messages = await stream;
    expect([seqs(messages, "a"), seqs(messages, "b")]).toEqual([upTo(500), upTo(500, 251)]);
    expect(named(messages, "all")[0]).toMatchObject({ type: "snapshot" });
    expect(events(messages)[0]).toMatchObject({ eventData: { text: "x".repeat(10) } });
    expect(caughtUp(messages).toSorted()).toEqual(["a", "b"]);
  });

  test("resumes each run at its position when the connection is lost", async () => {
    const { ledger, server } = await served();
    const { store } = ledger;
    for (const runId of ["a", "b"]) await appendNotes(store, { runId, from: 1, count: 5 });
    const asked: Watched[] = [];
    const isEventOfA = /^data: (?=.*"runId":"a").*"eventType"/m;
    const losing: typeof fetch = async (input, init) => {
      asked.push(JSON.parse(init?.body as string) as Watched);
      const response = await fetch(input, init);
      if (asked.length > 3) return response;
      let partsBehind = 0; // an event of run a
      const cut = new TransformStream<Uint8Array, Uint8Array>({
        transform: (part, to) => {
          if (partsBehind === 2) return to.error(new Error("cut"));
          to.enqueue(partsBehind === 1 ? part.slice(0, -7) : part); // cuts a message in the middle of a line
          if (partsBehind === 1 || isEventOfA.test(Buffer.from(part).toString())) partsBehind++;
        },
      });
      return new Response(response.body!.pipeThrough(cut), response);
    };
    const unlucky = new RunledgerClient({ url: server.url, token: TOKEN, fetch: losing });
    let last = 5;
    const watched = { runs: { a: 0, b: 2 }, lists: { all: {} } };
    const stream = told(unlucky, watched, (messages) => asked.length > 3 && events(messages).length === 2 * last - 2);
    while (asked.length < 4) {
      last++;
      for (const runId of ["a", "b"]) await appendNotes(store, { runId, from: last, count: 1 });
    }
    const messages = await stream;
    expect([seqs(messages, "a"), seqs(messages, "b")]).toEqual([upTo(last), upTo(last, 3)]);
    expect(asked.at(-1)!.runs!["a"]).toBeGreaterThan(0);
  });

  test("refuses a run of another tenant like an unknown one, and sends the others", async () => {
    const { ledger, server } = await served();
    await appendNotes(ledger.store, { runId: "own", from: 1, count: 2, tenantId: "acme" });
    await appendNotes(ledger.store, { runId: "foreign", from: 1, count: 2, tenantId: "other" });
    const { text: token } = await keyOf(ledger.store.access, "acme");
    const client = new RunledgerClient({ url: server.url, token });
    const messages = await told(
      client,
      { runs: { foreign: 0, own: 0, absent: 0 } },
      (all) => all.filter(({ type }) => type !== "event").length === 3,
    );
    const refused = messages.flatMap((one) => (one.type === "refused" ? [one] : []));
    expect(refused.map(({ runId, problem }) => [runId, problem.code, problem.status])).toEqual([
      ["foreign", "RUN_NOT_FOUND", 404],
      ["absent", "RUN_NOT_FOUND", 404],
    ]);
    const [foreign, absent] = refused.map(({ runId, problem }) => JSON.stringify(problem).replaceAll(runId, "it"));
    expect(foreign).toBe(absent);
    expect(seqs(messages, "own")).toEqual([1, 2]);
    expect(seqs(messages, "foreign")).toEqual([]);
  });

  test("closes when its key is revoked, and cannot be opened again", async () => {
    const { ledger, server, call } = await served({ streams: { recheckMs: 50 } });
    for (const runId of ["a", "b"]) await appendNotes(ledger.store, { runId, from: 1, count: 1, tenantId: "acme" });
    const { key, text: token } = await keyOf(ledger.store.access, "acme");
    let count = 0;
    const client = new RunledgerClient({ url: server.url, token });
    const stream = told(client, { runs: { a: 0, b: 0 } }, (messages) => (count = messages.length) < 0);
    const outcome = stream.catch((error: unknown) => error);
    await until(() => count === 4);
    await call("DELETE", `/keys/${key.keyId}`);
    expect(await outcome).toMatchObject({ code: "UNAUTHENTICATED" });
  });

  test("reads each run once for a thousand readers", async () => {
    const { ledger, server } = await served({ streams: PATIENT });
    const { store } = ledger;
    const runIds = ["a", "b", "c"];
    for (const runId of runIds) await appendNotes(store, { runId, from: 1, count: 3 });
    const body = { runs: { a: 0, b: 0, c: 0 }, payloads: false };
    const viewers = await Promise.all(upTo(1000).map(() => rawViewer(server.url, "/stream", { body })));
    for (const { text } of viewers) await until(() => [...text().matchAll(/event: caught-up/g)].length === 3);
    let pages = 0;
    const { fetchEvents } = store;
    store.fetchEvents = (...args) => (pages++, fetchEvents.apply(store, args));
    for (let from = 4; from < 9; from++)
      for (const runId of runIds) await appendNotes(store, { runId, from, count: 1 });
    for (const { text } of viewers) await until(() => [...text().matchAll(/"runSeq":8,/g)].length === 3);
    expect(pages).toBeLessThanOrEqual(15);
    for (const viewer of viewers) for (const runId of runIds) expect(seqsOf(viewer, runId)).toEqual(upTo(8));
  });

  test("is closed for a stalled reader, regardless of which run is busy", async () => {
    const { ledger, server, client } = await served({ streams: { stalledMs: 300 } });
    const { store } = ledger;
    for (const runId of ["busy", "quiet"]) await appendNotes(store, { runId, from: 1, count: 1 });
    const slow = await rawViewer(server.url, "/stream", { body: { runs: { busy: 0, quiet: 0 } } });
    await until(() => [...slow.text().matchAll(/event: caught-up/g)].length === 2);
    slow.socket.pause();
    const quick = told(client, { runs: { busy: 0, quiet: 0 } }, (messages) => events(messages).length === 303);
    // 300 events of 64 KB exceed all buffers between server and reader.
    for (let from = 2; from <= 301; from += 20)
      await appendNotes(store, { runId: "busy", from, count: 20, size: 64 * 1024 });
    await appendNotes(store, { runId: "quiet", from: 2, count: 1 });
    expect(seqs(await quick, "busy")).toEqual(upTo(301));
    await expect.poll(async () => (await client.getHealth()).openStreams).toBe(0); // before it reads more
    slow.socket.resume();
    await until(() => slow.socket.closed);
    const taken = seqsOf(slow, "busy");
    expect(taken.length).toBeLessThan(301);
    expect(taken).toEqual(upTo(taken.length));
  });

  test("distinguishes two lists, even of the same runs, and resumes after a cursor", async () => {
    const { ledger, client } = await served();
    ledger.projector();
    await appendNotes(ledger.store, { runId: "a", from: 1, count: 1 });
    const lists = { one: {}, other: {}, none: { filter: { workflow: "none" } } };
    const messages = await told(
      client,
      { lists },
      (all) => new Set(all.map((one) => "list" in one && one.list)).size === 3,
    );
    for (const list of Object.keys(lists)) expect(named(messages, list)[0]).toMatchObject({ type: "snapshot" });
    const last = named(messages, "none").at(-1)!;
    const again = { lists: { none: { ...lists.none, after: last.place } }, runs: { a: 0 } };
    const later = await told(client, again, (all) => all.some(({ type }) => type === "caught-up"));
    expect(later.map(({ type }) => type)).not.toContain("change");
  });

  test.each([
    ["body.runs", { runs: Object.fromEntries(upTo(51).map((n) => [`run-${n}`, 0])) }],
    ["body.lists", { lists: Object.fromEntries(upTo(21).map((n) => [`list-${n}`, {}])) }],
    ["body.runs", {}],
    ["body.runs.a|b", { runs: { "a|b": 0 } }],
    ["body.runs.a", { runs: { a: -1 } }],
    ["body.lists.x.filter.status.0", { lists: { x: { filter: { status: ["NOPE"] } } } }],
  ])("refuses a wrong %s", async (field, body) => {
    const { call } = await testServer([]);
    const response = await call("POST", "/stream", body);
    expect([response.status, await response.json()]).toEqual([400, expect.objectContaining({ field })]);
  });
});
