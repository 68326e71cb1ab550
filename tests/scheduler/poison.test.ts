// @module-tag R-08
/** Schedules that cannot be read or would fire without end are reported, and the others fire. */
import { freshDatabase, type FreshDatabase } from "@runledger/test-support/fresh-database";
import { until } from "@runledger/test-support/until";
import { Client } from "pg";
import { connect, workflow } from "runledger";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";

const flow = workflow("flow", { version: "1" }, (w) => w.step("one", () => 1));
let database: FreshDatabase;
let sql: Client;

beforeEach(async () => {
  database = await freshDatabase();
  sql = new Client({ connectionString: database.url });
  await sql.connect();
});
afterEach(async () => {
  await sql.end();
  await database.drop();
});

const change = (path: string, value: unknown) =>
  sql.query(
    `UPDATE runledger.schedules SET definition = jsonb_set(definition, '${path}', $1) WHERE schedule_id = 'poison'`,
    [JSON.stringify(value)],
  );

const faults = {
  "with an interval too short for its next time to differ": () => change("{timing,everyMs}", 1e-9),
  "with thousands of times per second": () => change("{timing,everyMs}", 0.001),
  "with a definition that cannot be read": () => change("{timing}", { cron: "never", timeZone: "Mars/Olympus" }),
};

for (const [what, plant] of Object.entries(faults))
  test(`a schedule ${what} does not stop the others`, async () => {
    const ledger = await connect(database.url);
    onTestFinished(() => ledger.close());
    const every = { every: "1s", overlap: "allow" } as const;
    await ledger.schedules.put({ id: "poison", workflow: flow, ...every });
    for (const id of ["a", "b"]) await ledger.schedules.put({ id, workflow: flow, ...every });
    await plant();
    ledger.scheduler({ onFault: () => {}, pollMs: 20 });
    const hasFired = async (id: string) => (await ledger.schedules.get(id))?.last?.outcome === "started";
    await until(async () => (await hasFired("a")) && (await hasFired("b")));
    const failed = () => ledger.alerts.filter(({ code }) => code === "SCHEDULE_FAILED");
    await until(() => failed().length > 0);
    for (const { message } of failed())
      expect(message).toMatch(/schedule poison could not fire: (The interval|CronPattern)/);
  });
