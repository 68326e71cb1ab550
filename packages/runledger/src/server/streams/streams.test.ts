/** [U-11] Streams of one run, on a real database. */
import { RunledgerClient } from "@runledger/client";
import { describe, expect, onTestFinished, test } from "vitest";
import { freshDatabase } from "../../../../../tests/support/fresh-database.js";
import { appendNotes, upTo } from "../../../../../tests/support/notes.js";
import { rawViewer, until, type RawViewer } from "../../../../../tests/support/raw-viewer.js";
import { testServer, TOKEN } from "../../../../../tests/support/test-server.js";

async function served(options: Parameters<typeof testServer>[1] = {}) {
  const database = await freshDatabase();
  onTestFinished(() => database.drop());
  return testServer([], { store: database.url, ...options });
}

async function take(client: RunledgerClient, runId: string, count: number, after = 0): Promise<number[]> {
  const seqs: number[] = [];
  for await (const { runSeq } of client.streamRun(runId, { after, forever: true })) {
    seqs.push(runSeq);
    if (seqs.length === count) break;
  }
  return seqs;
}

const runId = "run-1";
const viewer = (url: string) => rawViewer(url, `/runs/${runId}/stream`);
const seqsOf = ({ text }: RawViewer) => [...text().matchAll(/\nid: (\d+)\n/g)].map(([, id]) => Number(id));

describe("[U-11] a stream", () => {
  test("goes from history to what comes, in order and without a gap, while many write", async () => {
    const { ledger, client } = await served();
    await appendNotes(ledger.store, { runId, from: 1, count: 700 });
    const readers = [0, 0, 350, 699].map((after) => take(client, runId, 1200 - after, after));
    for (let from = 701; from <= 1200; from += 50) await appendNotes(ledger.store, { runId, from, count: 50 });
    for (const [index, after] of [0, 0, 350, 699].entries())
      expect(await readers[index]).toEqual(upTo(1200, after + 1));
  });

  test("goes on behind Last-Event-ID when a connection is lost", async () => {
    const { ledger, client, server } = await served();
    await appendNotes(ledger.store, { runId, from: 1, count: 5 });
    const ids: (string | undefined)[] = [];
    const losing: typeof fetch = async (input, init) => {
      const headers = new Headers(init?.headers);
      ids.push(headers.get("last-event-id") ?? undefined);
      const response = await fetch(input, init);
      if (ids.length > 2) return response;
      let read = 0; // the line breaks in the middle of a message
      const cut = new TransformStream<Uint8Array, Uint8Array>({
        transform: (part, to) => (read++ < 1 ? to.enqueue(part.slice(0, part.length - 7)) : to.error(new Error("cut"))),
      });
      return new Response(response.body!.pipeThrough(cut), response);
    };
    const unlucky = new RunledgerClient({ url: server.url, token: TOKEN, fetch: losing });
    const seqs = take(unlucky, runId, 8);
    await take(client, runId, 5);
    await appendNotes(ledger.store, { runId, from: 6, count: 3 });
    expect(await seqs).toEqual(upTo(8));
    expect(ids.length).toBeGreaterThan(2);
  });

  test("of one run is read once for a thousand viewers", async () => {
    const { ledger, server } = await served({ streams: { pollMs: 20 } });
    const { store } = ledger;
    await appendNotes(store, { runId, from: 1, count: 3 });
    const viewers = await Promise.all(upTo(1000).map(() => viewer(server.url)));
    await until(() => viewers.every(({ text }) => text().includes("event: caught-up")));
    let pages = 0;
    const { fetchEvents } = store;
    store.fetchEvents = (...args) => (pages++, fetchEvents.apply(store, args));
    for (let from = 4; from < 14; from++) await appendNotes(store, { runId, from, count: 1 });
    await until(() => viewers.every(({ text }) => text().includes("\nid: 13\n")));
    expect(pages).toBeLessThanOrEqual(10);
    for (const one of viewers) expect(seqsOf(one)).toEqual(upTo(13));
  });

  test("is closed for a reader that takes nothing, and goes on for the others", async () => {
    const { ledger, server, client } = await served({ streams: { stuckMs: 300 } });
    await appendNotes(ledger.store, { runId, from: 1, count: 1 });
    const slow = await viewer(server.url);
    await until(() => slow.text().includes("event: caught-up"));
    slow.socket.pause();
    const quick = take(client, runId, 301);
    // 300 events of 64 KB are more than all buffers on the way.
    for (let from = 2; from <= 301; from += 20)
      await appendNotes(ledger.store, { runId, from, count: 20, size: 64 * 1024 });
    expect(await quick).toEqual(upTo(301));
    await expect.poll(async () => (await client.getHealth()).openStreams).toBe(0); // before it takes anything more
    slow.socket.resume();
    await until(() => slow.socket.closed);
    expect(seqsOf(slow).length).toBeLessThan(301);
    expect(seqsOf(slow)).toEqual(upTo(seqsOf(slow).length));
  });

  test("ends when the server stops, and requests on open connections are told to come again", async () => {
    const { ledger, server } = await served();
    await appendNotes(ledger.store, { runId, from: 1, count: 1 });
    const watching = await viewer(server.url);
    await until(() => watching.text().includes("event: caught-up"));
    await server.close();
    await until(() => watching.socket.closed);
    await expect(fetch(`${server.url}/healthz`)).rejects.toThrow("fetch failed");
  });
});
