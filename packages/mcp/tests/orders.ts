/** A workflow in two versions, whose runs fail as long as the warehouse is closed. */
import { FatalStepError, workflow } from "runledger";
import { z } from "zod";

const input = z.object({ day: z.number().optional(), region: z.string().optional() });

export const warehouse = { isOpen: true, message: "the warehouse is closed" };

function load(): string {
  if (warehouse.isOpen) return "42 rows";
  const closed = new FatalStepError("WAREHOUSE_CLOSED", warehouse.message);
  throw Object.assign(closed, { cause: new Error("connection refused by 10.0.0.7") });
}

export const orders1 = workflow("orders", { version: "1", input }, (w) => {
  const plan = w.step("plan", {}, () => "all", { compensate: () => {} });
  const rows = w.step("load", { needs: { plan } }, load);
  w.step("report", { needs: { rows } }, () => "sent");
});

/** A later version: `load` is retried, and `audit` is new. */
export const orders2 = workflow("orders", { version: "2", input }, (w) => {
  const plan = w.step("plan", {}, () => "all", { compensate: () => {} });
  const audit = w.step("audit", () => "ok");
  const rows = w.step("load", { needs: { plan, audit }, retry: { attempts: 2, delay: "1ms" } }, loadTwice);
  w.step("report", { needs: { rows } }, () => "sent");
});

/** Fails with a code that its retry policy retries. */
function loadTwice(): string {
  if (warehouse.isOpen) return "42 rows";
  throw Object.assign(new Error(warehouse.message), { cause: new Error("connection refused by 10.0.0.7") });
}

export const gated = workflow("gated", { version: "1" }, (w) => {
  const plan = w.step("plan", {}, () => "all", { compensate: () => {} });
  w.waitForSignal("go", { after: [plan] });
});

/** No worker runs this version. */
export const orders9 = workflow("orders", { version: "9" }, (w) => {
  w.step("plan", () => "all");
});
