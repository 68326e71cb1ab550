/** The workflows of these tests. The workers' projects contain a copy of this file. */
import { setTimeout as sleep } from "node:timers/promises";
import { workflow } from "runledger";
import { z } from "zod";

export const greet = workflow("greet", { version: "1" }, (w) => w.step("hello", () => "hello"));

/** Waits for ten signals, one after the other, and returns their payloads. */
export const collect = workflow("collect", { version: "1" }, (w) => {
  let last = w.step("first", () => /** @type {import("@runledger/contracts").Json[]} */ ([]));
  for (let at = 0; at < 10; at++) {
    const needs = { last, next: w.waitForSignal("next", { id: `next${at}`, after: [last] }) };
    last = w.step(`add${at}`, { needs }, ({ needs: { last: before, next } }) => [...before, next]);
  }
  return last;
});

export const waiting = workflow("waiting", { version: "1" }, (w) => {
  const go = w.waitForSignal("go");
  const stop = w.waitForSignal("stop", { after: [go] });
  return w.step("last", { needs: { go, stop } }, ({ needs }) => Number(needs.go));
});

/** Runs as many items as its input says. Nothing that contains SECRET may reach the cluster. */
export const wide = workflow("wide", { version: "1", input: z.object({ count: z.number() }) }, (w) => {
  const items = w.step("items", ({ input }) => Array.from({ length: input.count }, (_, item) => `SECRET${item}`));
  const list = w.forEach("list", { needs: { items }, items: ({ needs }) => needs.items, concurrency: 100 }, (each) =>
    each.step("item", ({ item }) => `SECRET-OUTPUT ${item}`),
  );
  return w.step("count", { needs: { list } }, async ({ needs }) => (await needs.list.toArray()).length);
});

export const slow = workflow("slow", { version: "1" }, (w) => {
  const first = w.step("first", async () => {
    await sleep(2000);
    return 1;
  });
  return w.step("last", { needs: { first } }, ({ needs }) => needs.first + 1);
});

/** Fails once, waits, and runs a child. */
export const mixed = workflow("mixed", { version: "1" }, (w) => {
  const flaky = w.step("flaky", { retry: { attempts: 2, delay: "100ms" } }, ({ attempt }) => {
    if (attempt === 1) throw new Error("not yet");
    return attempt;
  });
  const nap = w.sleep("nap", { after: [flaky], for: "1s" });
  const child = w.child("child", greet, { after: [nap] });
  return w.step("last", { needs: { child } }, ({ needs }) => needs.child);
});

/** Everything that a reader could learn about it contains the word "classified". */
export const confidential = workflow("classifiedFlow", { version: "1" }, (w) => {
  const first = w.step("classifiedStep", () => "classified value");
  const signal = w.waitForSignal("classifiedSignal", { after: [first] });
  return w.step("classifiedEnd", { needs: { signal } }, () => "classified output");
});
