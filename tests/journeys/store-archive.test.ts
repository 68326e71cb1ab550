// @module-tag R-10
/** Which runs `store archive` moves if the operator passes no age (A4). */
import { newEvent } from "@runledger/contracts";
import { PostgresStore } from "@runledger/store-postgres";
import { query } from "@runledger/test-support/databases";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { runledger } from "@runledger/test-support/hosted-commands";
import { expect, onTestFinished, test } from "vitest";

const AGES: Readonly<Record<string, number>> = { young: 31, almost: 89, old: 91 };

test("runs without new events for 90 days are archived, and no others", async () => {
  const { url, drop } = await freshDatabase();
  onTestFinished(drop);
  await using store = await PostgresStore.open({ url });
  for (const [runId, days] of Object.entries(AGES)) {
    const events = ["RunStarted", "RunCompleted"].map((eventType) => newEvent({ runId, eventType, planVersion: "1" }));
    await store.appendEvents(events);
    for (const table of ["run_events", "run_heads"])
      await query(
        url,
        `UPDATE runledger.${table} SET persisted_at = now() - interval '${days} days' WHERE run_id = '${runId}'`,
      );
  }
  const archived = await runledger({ cwd: process.cwd() }, "store", "archive", "--json", "--store", url);
  expect(JSON.parse(archived.stdout), archived.stderr).toEqual({ archived: 1, left: {} });
  const left = await query(url, "SELECT DISTINCT run_id FROM runledger.run_events ORDER BY 1");
  expect(left).toEqual([{ run_id: "almost" }, { run_id: "young" }]);
  expect(await store.fetchEvents("old")).toHaveLength(2);
});
