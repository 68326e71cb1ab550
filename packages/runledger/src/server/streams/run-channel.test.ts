import { newEvent, RetryError } from "@runledger/contracts";
import { expect, test } from "vitest";
import { testServer } from "../../../../../tests/support/test-server.js";
import { RunChannel } from "./run-channel.js";
import type { SseConnection } from "./sse-connection.js";

const event = (eventType: string, stepId?: string) =>
  newEvent({ runId: "quick", planVersion: "1", eventType, ...(stepId === undefined ? {} : { stepId }) });

test("[U-11] who reads history while the run ends gets all of it before hearing of the end", async () => {
  const { client, ledger } = await testServer([]);
  const { store } = ledger;
  await store.appendEvents([event("RunStarted"), event("StepStarted", "one")]);
  const fetchEvents = store.fetchEvents.bind(store);
  let isFirst = true;
  store.fetchEvents = async (...asked) => {
    const page = await fetchEvents(...asked);
    const wasFirst = isFirst;
    isFirst = false;
    if (wasFirst) await store.appendEvents([event("StepCompleted", "one"), event("RunCompleted")]); // behind this page
    return page;
  };
  const types: string[] = [];
  for await (const { eventType } of client.streamRun("quick")) types.push(eventType);
  expect(types).toEqual(["RunStarted", "StepStarted", "StepCompleted", "RunCompleted"]);
});

/** A reader that takes everything and stays. */
function readerOf(channel: RunChannel): { readonly sent: string[]; readonly ended: () => boolean } {
  const sent: string[] = [];
  let ended = false;
  const connection = {
    isOpen: true,
    isCrowded: false,
    send: (message: Buffer) => void sent.push(message.toString()),
    room: async () => {},
    end: () => void (ended = true),
  };
  channel.add(connection as unknown as SseConnection, { afterSeq: 0, payloads: true, ids: true });
  return { sent, ended: () => ended };
}

test("[U-11] a store that was away for a moment does not spoil the channel for those who come later", async () => {
  const { store } = (await testServer([])).ledger;
  await store.appendEvents([event("RunStarted")]);
  const { loadCheckpoint } = store.checkpoints;
  store.checkpoints.loadCheckpoint = async () => Promise.reject(new RetryError("STORE_UNAVAILABLE", "It is away."));
  const channel = new RunChannel(store, "quick", () => {});
  const early = readerOf(channel);
  await expect.poll(early.ended).toBe(true);
  store.checkpoints.loadCheckpoint = loadCheckpoint;
  const late = readerOf(channel); // the early one has not hung up yet
  await expect.poll(() => late.ended() || late.sent.length === 2).toBe(true);
  expect(late.sent.at(-1)).toContain("caught-up");
});
