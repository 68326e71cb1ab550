// @module-tag R-40
import fc from "fast-check";
import { z } from "zod";
import { expect, test } from "vitest";
import { connect, workflow } from "../index.js";
import { dropUndefined } from "./drop-undefined.js";

test("the result is what JSON.stringify keeps, and the value is left as it is", () => {
  const anything = fc.anything({ values: [fc.string(), fc.integer(), fc.constant(undefined), fc.constant(null)] });
  fc.assert(
    fc.property(fc.dictionary(fc.string(), anything, { noNullPrototype: true }), (value) => {
      const before = structuredClone(value);
      const kept = dropUndefined(value);
      expect(JSON.stringify(kept)).toBe(JSON.stringify(value));
      expect(kept).toStrictEqual(JSON.parse(JSON.stringify(value)));
      expect(value).toStrictEqual(before);
      expect(dropUndefined(kept)).toBe(kept);
    }),
  );
});

test("a value that refers to itself is left to the check on write", () => {
  const circle: Record<string, unknown> = {};
  circle["self"] = circle;
  expect(dropUndefined(circle)).toBe(circle);
  const date = { at: new Date(0) };
  expect(dropUndefined(date)).toBe(date);
});

interface Order {
  readonly id: number;
  readonly note?: string | undefined;
  readonly lines: readonly { readonly sku: string; readonly discount?: number | undefined }[];
}
const order: Order = { id: 1, note: undefined, lines: [{ sku: "a", discount: undefined }] };
const plain = { id: 1, lines: [{ sku: "a" }] };
const anyOrder = z.custom<Order>();

test("optional properties that are undefined are dropped wherever a workflow passes data", async () => {
  await using ledger = await connect("memory:");
  const child = workflow("child", { input: anyOrder }, (w) => w.step("echo", ({ input }) => input));
  const state = {
    schema: z.custom<{ kept?: number | undefined; at?: { day?: string | undefined } }>(),
    initial: { kept: undefined },
  };
  const flow = workflow("optional", { input: anyOrder, signals: { go: anyOrder }, state }, (w) => {
    const save = w.step("save", ({ patch }) => {
      patch({ kept: 1 });
      patch({ kept: undefined, at: { day: undefined } });
      return order;
    });
    const each = w.forEach("each", { after: [save], items: () => [order] }, (w) => w.step("one", ({ item }) => item));
    const made = w.child("made", child, { after: [each], input: () => order });
    const go = w.waitForSignal("go", { after: [made] });
    return w.step("end", { after: [go] }, ({ state: now }) => now);
  });
  const run = await ledger.start(flow, { input: order });
  await run.signal("go", order);
  const worker = await ledger.worker({ workflows: [flow, child] });
  expect(await run.result()).toEqual({ kept: 1, at: {} });
  await worker.stop();
  const events = await ledger.store.fetchEvents(run.id);
  const data = (type: string, stepId?: string) =>
    events.find((event) => event.eventType === type && event.stepId === stepId)?.eventData;
  expect(data("RunQueued")).toMatchObject({ input: plain, state: {} });
  expect(data("StepCompleted", "save")).toStrictEqual({ output: plain, patch: { kept: 1, at: {} } });
  expect(data("StepCompleted", "each/0/one")).toStrictEqual({ output: plain });
  expect(data("StepCompleted", "made")).toMatchObject({ output: plain });
  expect(data("SignalAccepted")).toMatchObject({ payload: plain });
});
