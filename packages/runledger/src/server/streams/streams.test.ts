/** [U-11] Streams of one run, on a real database. */
import { connect as connectSocket, type Socket } from "node:net";
import { newEvent, type FullStateStore } from "@runledger/contracts";
import { RunledgerClient } from "@runledger/client";
import { describe, expect, onTestFinished, test } from "vitest";
import { freshDatabase } from "../../../../../tests/support/fresh-database.js";
import { testServer, TOKEN } from "../../../../../tests/support/test-server.js";

async function served(options: Parameters<typeof testServer>[1] = {}) {
  const database = await freshDatabase();
  onTestFinished(() => database.drop());
  return testServer([], { store: database.url, ...options });
}

/** `count` more events of a run that nobody executes. */
async function append(store: FullStateStore, runId: string, from: number, count: number, size = 10): Promise<void> {
  const events = Array.from({ length: count }, (_, index) =>
    newEvent({
      runId,
      planVersion: "1",
      eventType: "Noted",
      logicalAttemptId: String(from + index),
      eventData: { text: "x".repeat(size) },
    }),
  );
  await store.appendEvents(events);
}

async function take(client: RunledgerClient, runId: string, count: number, after = 0): Promise<number[]> {
  const seqs: number[] = [];
  for await (const { runSeq } of client.streamRun(runId, { after, forever: true })) {
    seqs.push(runSeq);
    if (seqs.length === count) break;
  }
  return seqs;
}

const upTo = (last: number, first = 1) => Array.from({ length: last - first + 1 }, (_, index) => first + index);

describe("[U-11] a stream", () => {
  test("goes from history to what comes, in order and without a gap, while many write", async () => {
    const { ledger, client } = await served();
    await append(ledger.store, "run-1", 1, 700);
    const readers = [0, 0, 350, 699].map((after) => take(client, "run-1", 1200 - after, after));
    for (let from = 701; from <= 1200; from += 50) await append(ledger.store, "run-1", from, 50);
    for (const [index, after] of [0, 0, 350, 699].entries())
      expect(await readers[index]).toEqual(upTo(1200, after + 1));
  });

  test("goes on behind Last-Event-ID when a connection is lost", async () => {
    const { ledger, client, server } = await served();
    await append(ledger.store, "run-1", 1, 5);
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
    const seqs = take(unlucky, "run-1", 8);
    await take(client, "run-1", 5);
    await append(ledger.store, "run-1", 6, 3);
    expect(await seqs).toEqual(upTo(8));
    expect(ids.length).toBeGreaterThan(2);
  });

  test("of one run is read once for a thousand viewers", async () => {
    const { ledger, server } = await served({ streams: { pollMs: 20 } });
    const { store } = ledger;
    await append(store, "run-1", 1, 3);
    const viewers = await Promise.all(upTo(1000).map(() => rawViewer(server.url, "run-1")));
    await until(() => viewers.every((viewer) => viewer.text().includes("event: caught-up")));
    let pages = 0;
    const { fetchEvents } = store;
    store.fetchEvents = (...args) => (pages++, fetchEvents.apply(store, args));
    for (let from = 4; from < 14; from++) await append(store, "run-1", from, 1);
    await until(() => viewers.every((viewer) => viewer.text().includes("\nid: 13\n")));
    expect(pages).toBeLessThanOrEqual(10);
    for (const viewer of viewers) expect(viewer.seqs()).toEqual(upTo(13));
  });

  test("is closed for a reader that takes nothing, and goes on for the others", async () => {
    const { ledger, server, client } = await served({ streams: { stuckMs: 300 } });
    await append(ledger.store, "run-1", 1, 1);
    const slow = await rawViewer(server.url, "run-1");
    await until(() => slow.text().includes("event: caught-up"));
    slow.socket.pause();
    const quick = take(client, "run-1", 301);
    // 300 events of 64 KB are more than all buffers on the way.
    for (let from = 2; from <= 301; from += 20) await append(ledger.store, "run-1", from, 20, 64 * 1024);
    expect(await quick).toEqual(upTo(301));
    slow.socket.resume();
    await until(() => slow.socket.closed);
    expect(slow.seqs().length).toBeLessThan(301);
    expect(slow.seqs()).toEqual(upTo(slow.seqs().length));
  });

  test("ends when the server stops, and requests on open connections are told to come again", async () => {
    const { ledger, server } = await served();
    await append(ledger.store, "run-1", 1, 1);
    const viewer = await rawViewer(server.url, "run-1");
    await until(() => viewer.text().includes("event: caught-up"));
    await server.close();
    await until(() => viewer.socket.closed);
    await expect(fetch(`${server.url}/healthz`)).rejects.toThrow("fetch failed");
  });
});

interface RawViewer {
  readonly socket: Socket;
  text(): string;
  seqs(): number[];
}

/** Below fetch, so that a reader can stop reading. */
async function rawViewer(url: string, runId: string): Promise<RawViewer> {
  const { port, host } = new URL(url);
  let text = "";
  const socket = await new Promise<Socket>((resolve, reject) => {
    const opened: Socket = connectSocket(Number(port), "127.0.0.1", () => resolve(opened)).on("error", reject);
  });
  socket.on("error", () => {}).on("data", (part) => (text += String(part)));
  onTestFinished(() => void socket.destroy());
  socket.write(`GET /api/v1/runs/${runId}/stream HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${TOKEN}\r\n\r\n`);
  return { socket, text: () => text, seqs: () => [...text.matchAll(/\nid: (\d+)\n/g)].map(([, id]) => Number(id)) };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 10));
}
