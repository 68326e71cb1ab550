// @module-tag N-31
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { readEvent, type Json, type RunQueuedData } from "@runledger/contracts";
import { connect, workflow, type Ledger, type RunHandle } from "../index.js";

const byDay = workflow("by-day", { version: "1", input: z.object({ day: z.string() }) }, (w) => w.step("a", () => 1));
const labeled = workflow("labeled", { version: "1", input: z.object({ labels: z.array(z.string()) }) }, (w) =>
  w.step("a", () => 1),
);
const nested = workflow("nested", { version: "1", input: z.object({ input: z.number() }) }, (w) =>
  w.step("a", () => 1),
);
const plain = workflow("plain", { version: "1" }, (w) => w.step("a", () => 1));

async function open(): Promise<Ledger> {
  const ledger = await connect("memory:");
  onTestFinished(() => ledger.close());
  return ledger;
}

async function queued(ledger: Ledger, { id }: Pick<RunHandle, "id">): Promise<RunQueuedData & { input?: Json }> {
  const [event] = await ledger.store.fetchEvents(id, { limit: 1 });
  const read = readEvent(event!);
  if (read.eventType !== "RunQueued") throw new Error(`The first event is ${read.eventType}.`);
  return event!.eventData as unknown as RunQueuedData & { input?: Json };
}

test("start takes input and options as one object", async () => {
  const ledger = await open();
  const params = { input: { day: "2026-11-16" }, requestId: "r-1", labels: { team: "a" }, priority: 3 };
  const run = await ledger.start(byDay, params);
  expect(await queued(ledger, run)).toMatchObject({
    input: { day: "2026-11-16" },
    runRequestId: "r-1",
    labels: { team: "a" },
    priority: 3,
  });
  expect((await ledger.start(byDay, params)).id).toBe(run.id);
});

test("a workflow without input starts with options alone, and with none", async () => {
  const ledger = await open();
  expect(await queued(ledger, await ledger.start(plain, { requestId: "r-2" }))).toMatchObject({ runRequestId: "r-2" });
  expect(await queued(ledger, await ledger.start(plain))).not.toHaveProperty("input");
});

/* oxlint-disable typescript/no-deprecated -- these two tests show that the deprecated form still works */
test("the deprecated form still works: an input, then options", async () => {
  const ledger = await open();
  const day = { day: "2026-11-16" };
  expect((await queued(ledger, await ledger.start(byDay, day))).input).toEqual(day);
  const run = await ledger.start(byDay, day, { requestId: "r-3" });
  expect(await queued(ledger, run)).toMatchObject({ input: day, runRequestId: "r-3" });
  const none = await ledger.start(plain, undefined, { requestId: "r-4" });
  expect(await queued(ledger, none)).toMatchObject({ runRequestId: "r-4" });
});

test("an input in the deprecated form may have keys that are names of options", async () => {
  const ledger = await open();
  expect((await queued(ledger, await ledger.start(labeled, { labels: ["x"] }))).input).toEqual({ labels: ["x"] });
  expect((await queued(ledger, await ledger.start(nested, { input: 7 }))).input).toEqual({ input: 7 });
  expect((await queued(ledger, await ledger.start(nested, { input: { input: 7 } }))).input).toEqual({ input: 7 });
});
/* oxlint-enable typescript/no-deprecated */

test("an input that does not match is refused with the path of the field", async () => {
  const ledger = await open();
  const refused = ledger.start(byDay, { input: { day: 7 } } as never);
  await expect(refused).rejects.toMatchObject({ code: "SCHEMA_MISMATCH", field: "input.day" });
});

test("an unknown option is refused by name", async () => {
  const ledger = await open();
  const refused = ledger.start(byDay, { input: { day: "2026-11-16" }, requestID: "r-5" } as never);
  await expect(refused).rejects.toMatchObject({ code: "OPTION_INVALID", field: "requestID" });
  expect(await ledger.store.listHeads()).toEqual([]);
});
