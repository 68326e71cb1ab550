// @module-tag U-11
/** Streams of one run on a real database. */
import { RunledgerClient } from "@runledger/client";
import { describe, expect, onTestFinished, test } from "vitest";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { appendNotes, upTo } from "@runledger/test-support/notes";
import { rawViewer, type RawViewer } from "@runledger/test-support/raw-viewer";
import { until } from "@runledger/test-support/until";
import { testServer, TOKEN } from "@runledger/test-support/test-server";

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

describe("a stream", () => {
  test("sends history and then new events, in order and without gaps, while many writers append", async () => {
    const { ledger, client } = await served();
    await appendNotes(ledger.store, { runId, from: 1, count: 700 });
    const readers = [0, 0, 350, 699].map((after) => take(client, runId, 1200 - after, after));
    for (let from = 701; from <= 1200; from += 50) await appendNotes(ledger.store, { runId, from, count: 50 });
    for (const [index, after] of [0, 0, 350, 699].entries())
      expect(await readers[index]).toEqual(upTo(1200, after + 1));
  });

  test("resumes after Last-Event-ID when the connection is lost", async () => {
    const { ledger, client, server } = await served();
    await appendNotes(ledger.store, { runId, from: 1, count: 5 });
    const ids: (string | undefined)[] = [];
    const losing: typeof fetch = async (input, init) => {
      const headers = new Headers(init?.headers);
      ids.push(headers.get("last-event-id") ?? undefined);
      const response = await fetch(input, init);
      if (ids.length > 2) return response;
      let read = 0; // cuts a message in the middle of a line
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

  test("reads each event once for a thousand readers", async () => {
    const { ledger, server } = await served({ streams: { pollMs: 20, stalledMs: 240_000 } }); // a busy machine may stall all viewers
    const { store } = ledger;
    await appendNotes(store, { runId, from: 1, count: 3 });
    const viewers = await Promise.all(upTo(1000).map(() => viewer(server.url)));
    for (const { text } of viewers) await until(() => text().includes("event: caught-up"));
    let pages = 0;
    const { fetchEvents } = store;
    store.fetchEvents = (...args) => (pages++, fetchEvents.apply(store, args));
    for (let from = 4; from < 14; from++) await appendNotes(store, { runId, from, count: 1 });
    for (const { text } of viewers) await until(() => text().includes("\nid: 13\n"));
    expect(pages).toBeLessThanOrEqual(10);
    for (const one of viewers) expect(seqsOf(one)).toEqual(upTo(13));
  });

  test("is closed for a stalled reader and continues for the others", async () => {
    const { ledger, server, client } = await served({ streams: { stalledMs: 300 } });
    await appendNotes(ledger.store, { runId, from: 1, count: 1 });
    const slow = await viewer(server.url);
    await until(() => slow.text().includes("event: caught-up"));
    slow.socket.pause();
    const quick = take(client, runId, 301);
    // 300 events of 64 KB exceed all buffers between server and reader.
    for (let from = 2; from <= 301; from += 20)
      await appendNotes(ledger.store, { runId, from, count: 20, size: 64 * 1024 });
    expect(await quick).toEqual(upTo(301));
    await expect.poll(async () => (await client.getHealth()).openStreams).toBe(0); // before it reads more
    slow.socket.resume();
    await until(() => slow.socket.closed);
    expect(seqsOf(slow).length).toBeLessThan(301);
    expect(seqsOf(slow)).toEqual(upTo(seqsOf(slow).length));
  });

  test("closes when the server stops, and requests on open connections get SERVER_STOPPING", async () => {
    const { ledger, server } = await served();
    await appendNotes(ledger.store, { runId, from: 1, count: 1 });
    const watching = await viewer(server.url);
    await until(() => watching.text().includes("event: caught-up"));
    await server.close();
    await until(() => watching.socket.closed);
    await expect(fetch(`${server.url}/healthz`)).rejects.toThrow("fetch failed");
  });
});
