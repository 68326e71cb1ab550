/** Workflows that wait: for a test, for an operator, for a retry. */
import { workflow } from "runledger";
import { z } from "zod";

/** The step runs until the test releases it. */
export const hold = { release: (): void => {} };
export const holding = workflow("holding", { version: "1.0.0" }, (w) =>
  w.step("hold", () => new Promise<string>((resolve) => (hold.release = () => resolve("released")))),
);

export const child = workflow("shipping", { version: "1.0.0", input: z.object({ parcel: z.string() }) }, (w) =>
  w.step("ship", ({ input }) => `shipped ${input.parcel}`),
);

export const parent = workflow("order", { version: "1.0.0", input: z.object({ order: z.number() }) }, (w) => {
  const pack = w.step("pack", ({ input }) => ({ parcel: `parcel of order ${input.order}` }));
  return w.child("deliver", child, { needs: { pack }, input: ({ needs }) => needs.pack });
});

/** Names as people choose them. */
export const longName = workflow(
  "reconcile-payments-with-the-general-ledger",
  { version: "2026.11.14-rc.1", signals: { proceed: z.object({ by: z.string() }) } },
  (w) => w.waitForSignal("proceed", { id: "a-step-with-a-long-name" }),
);
