// @module-tag R-10
/** Indexes on the type and the payload of events (A3). */
import { newEvent } from "@runledger/contracts";
import { query } from "@runledger/test-support/databases";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { expect, onTestFinished, test } from "vitest";
import { createIndexes, PostgresStore } from "./index.js";

async function database(partitions: number): Promise<string> {
  const { url, drop } = await freshDatabase({ migrated: false });
  onTestFinished(drop);
  await using store = await PostgresStore.open({ url, partitions });
  const ids = Array.from({ length: 20 }, (_, index) => `run-${index}`);
  for (const eventType of ["RunStarted", "RunCompleted"])
    await store.appendEvents(
      ids.map((runId) => newEvent({ runId, eventType, planVersion: "1", eventData: { runId } })),
    );
  return url;
}

/** The indexes that PostgreSQL uses for a query if it can. */
async function indexesFor(url: string, condition: string): Promise<string[]> {
  const plan = await query<{ "QUERY PLAN": string }>(
    `${url}?options=-c%20enable_seqscan%3Doff`,
    `EXPLAIN SELECT run_id FROM runledger.run_events WHERE ${condition}`,
  );
  return plan.flatMap((row) => /(?:Index Scan using|Bitmap Index Scan on) (\w+)/.exec(row["QUERY PLAN"])?.[1] ?? []);
}

const finished = "event_type IN ('RunCompleted', 'RunFailed') AND persisted_at > now() - interval '1 day'";

test("finished runs are found by type and time through an index with one entry per run", async () => {
  const url = await database(0);
  expect(await indexesFor(url, finished)).toEqual(["run_events_ends"]);
  await query(url, "ANALYZE runledger.run_events"); // counts entries
  const [index] = await query(url, "SELECT reltuples::int AS entries FROM pg_class WHERE relname = 'run_events_ends'");
  expect(index).toEqual({ entries: 20 });
});

test.each([0, 3])("optional indexes find events by type and payload, with %i partitions", async (partitions) => {
  const url = await database(partitions);
  const [byType, byData] = ["event_type = 'StepFailed'", `event_data @> '{"runId":"run-7"}'`];
  const parts = partitions === 0 ? ["run_events"] : [0, 1, 2].map((part) => `run_events_p${part}`);
  expect(await indexesFor(url, byType)).not.toContain(`${parts[0]}_by_event_type`);
  for (let times = 0; times < 2; times++) await createIndexes(url, ["event_type", "event_data"]);
  expect((await indexesFor(url, byType)).sort()).toEqual(parts.map((part) => `${part}_by_event_type`));
  expect((await indexesFor(url, byData)).sort()).toEqual(parts.map((part) => `${part}_by_event_data`));
  const invalid = await query(url, "SELECT indexrelid::regclass FROM pg_index WHERE NOT indisvalid");
  expect(invalid).toEqual([]);
  await using store = await PostgresStore.open({ url });
  expect(await store.fetchEvents("run-7")).toHaveLength(2);
});

test("an invalid index of an interrupted build is built again, and unknown names are refused", async () => {
  const url = await database(0);
  await createIndexes(url, ["event_type"]);
  await query(
    url,
    "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'runledger.run_events_by_event_type'::regclass",
  );
  await createIndexes(url, ["event_type"]);
  expect(await indexesFor(url, "event_type = 'StepFailed'")).toEqual(["run_events_by_event_type"]);
  await expect(createIndexes(url, ["step_id"])).rejects.toThrow(
    /step_id does not exist\. Use one of event_type, event_data/,
  );
});
