import { workflow } from "runledger";
import { z } from "zod";

/** A step for each of many items. */
export const wide = workflow("bench-wide", { version: "1.0.0", input: z.object({ items: z.number() }) }, (w) => {
  w.forEach("items", { items: ({ input }) => Array.from({ length: input.items }, (_, item) => item) }, (inner) =>
    inner.step("one", ({ item }) => item),
  );
});

/** Waits for a signal, and does a step when it comes. */
export const waiting = workflow("bench-waiting", { version: "1.0.0", signals: { go: z.object({}) } }, (w) => {
  const go = w.waitForSignal("go");
  return w.step("woken", { after: [go] }, () => null);
});
