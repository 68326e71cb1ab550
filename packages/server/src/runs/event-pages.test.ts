// @module-tag R-21
/** Pages of events are bounded in bytes. */
import { newEvent } from "@runledger/contracts";
import { testServer, type TestServer } from "@runledger/test-support/test-server";
import { expect, test } from "vitest";

const PAGE_BYTES = 1024 * 1024;
const LARGE = "x".repeat(200_000);
const COUNT = 60;

/** A run whose log has 12 MB. */
async function largeRun({ ledger }: TestServer): Promise<void> {
  const events = Array.from({ length: COUNT }, (_, n) =>
    newEvent({
      runId: "large",
      planVersion: "1",
      eventType: n === 0 ? "RunStarted" : "StepCompleted",
      ...(n > 0 && { stepId: `s${n}`, logicalAttemptId: "1" }),
      eventData: { output: LARGE },
    }),
  );
  for (let from = 0; from < COUNT; from += 10) await ledger.store.appendEvents(events.slice(from, from + 10));
}

const seqs = Array.from({ length: COUNT }, (_, n) => n + 1);

test("a page of events ends at 1 MB, and its cursor reads on without loss", async () => {
  const world = await testServer([]);
  await largeRun(world);
  const seen: number[] = [];
  for (let after: string | null = "0"; after !== null;) {
    const response = await world.call("GET", `/runs/large/events?limit=1000&after=${after}`);
    const text = await response.text();
    expect(Buffer.byteLength(text)).toBeLessThan(PAGE_BYTES + LARGE.length);
    const page = JSON.parse(text) as { items: { runSeq: number }[]; next: string | null };
    seen.push(...page.items.map(({ runSeq }) => runSeq));
    after = page.next;
  }
  expect(seen).toEqual(seqs);
});

test("a page without payloads also stops after 1 MB of stored events", async () => {
  const world = await testServer([]);
  await largeRun(world);
  const page = await world.client.listEvents("large", { limit: 1000, payloads: false });
  expect(page.items).toHaveLength(5);
  expect(page.next).toBe("5");
});

test("a stream sends a log of large events completely, and reads it in small pages", async () => {
  const world = await testServer([]);
  await largeRun(world);
  await world.ledger.store.appendEvents([newEvent({ runId: "large", planVersion: "1", eventType: "RunCompleted" })]);
  const seen: number[] = [];
  for await (const { runSeq } of world.client.streamRun("large")) seen.push(runSeq);
  expect(seen).toEqual([...seqs, COUNT + 1]);
});
