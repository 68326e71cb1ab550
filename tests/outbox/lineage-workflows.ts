/** Workflows whose lineage is known, and the graph that they declare. */
import { workflow } from "runledger";

const SOURCE = { namespace: "postgres://db:5432", name: "raw.orders" };
export const FIELDS = [
  { name: "id", type: "bigint", description: "Number of the order" },
  { name: "total", type: "numeric" },
];

/** The output of steps. It must not leave. */
export const PAYLOAD = "payload-of-the-user";

export const report = workflow("report", { version: "1" }, (w) =>
  w.step("render", { datasets: { reads: ["shop.orders"], writes: ["shop.report"] } }, () => PAYLOAD),
);

/** Its first attempt to load fails. Then it starts a child. */
export const shop = workflow("shop", { version: "1" }, (w) => {
  const extract = w.step("extract", { datasets: { reads: [SOURCE], writes: ["staging.orders"] } }, () => PAYLOAD);
  const copies = w.forEach("regions", { after: [extract], items: () => ["eu", "us"] }, (each) =>
    each.step("copy", {}, ({ item, datasets }) => {
      datasets.read("staging.orders");
      datasets.wrote(`region.${item}`);
    }),
  );
  const load = w.step(
    "load",
    {
      after: [copies],
      retry: { attempts: 2, delay: "10ms" },
      datasets: { reads: ["staging.orders"], writes: ["shop.orders"] },
    },
    ({ attempt, datasets }) => {
      if (attempt === 1) throw new Error("The warehouse is busy.");
      const columns = { id: [{ dataset: "staging.orders", column: "id" }] };
      datasets.wrote({ name: "shop.orders", fields: FIELDS, columns, rows: 12, bytes: 480 });
      return PAYLOAD;
    },
  );
  return w.child("report", report, { after: [load] });
});

export const broken = workflow("broken", { version: "1" }, (w) => {
  const fail = w.step("fail", { datasets: { writes: ["never.written"] } }, () => {
    throw new Error("The disk is full.");
  });
  return w.step("later", { after: [fail] }, () => null);
});

/** Runs until it is cancelled. */
export const endless = workflow("endless", { version: "1" }, (w) =>
  w.step("wait", ({ signal }) => untilAborted(signal)),
);

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("stopped"))));
}

/** Every edge between a job and a dataset that the workflows declare and use. */
export const DECLARED_EDGES = [
  "postgres://db:5432|raw.orders -> prod|shop.extract",
  "prod|shop.extract -> runledger|staging.orders",
  "runledger|staging.orders -> prod|shop.regions.copy",
  "prod|shop.regions.copy -> runledger|region.eu",
  "prod|shop.regions.copy -> runledger|region.us",
  "runledger|staging.orders -> prod|shop.load",
  "prod|shop.load -> runledger|shop.orders",
  "runledger|shop.orders -> prod|report.render",
  "prod|report.render -> runledger|shop.report",
].sort();

export const DECLARED_COLUMNS = ["runledger|staging.orders.id -> runledger|shop.orders.id"];
