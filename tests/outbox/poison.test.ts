// @module-tag R-08
/** Runs whose changes or outcomes cannot be saved are reported, and the others are delivered once. */
import { newEvent } from "@runledger/contracts";
import { freshDatabase, type FreshDatabase } from "@runledger/test-support/fresh-database";
import { until } from "@runledger/test-support/until";
import { Client } from "pg";
import { connect, type Ledger } from "runledger";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { Receiver } from "./receiver.js";

let database: FreshDatabase;
let ledger: Ledger;
let sql: Client;

beforeEach(async () => {
  database = await freshDatabase();
  ledger = await connect(database.url);
  sql = new Client({ connectionString: database.url });
  await sql.connect();
});
afterEach(async () => {
  await sql.end();
  await ledger.close();
  await database.drop();
});

/** Refuses a row of the run, as a limit of the database would. */
const refusing = (when: string, condition = "true") => `
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF ${condition} THEN RAISE EXCEPTION 'row is refused'; END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER refuse BEFORE ${when} ON runledger.deliveries FOR EACH ROW
WHEN (NEW.run_id = 'poison') EXECUTE FUNCTION refuse()`;

async function publishTo() {
  const receiver = await new Receiver().start();
  onTestFinished(() => receiver.stop());
  await ledger.subscriptions.put({ id: "all", from: "now", bus: { type: "webhook", url: receiver.url } });
  const alerts: { readonly code: string; readonly runId: string; readonly message: string }[] = [];
  const faults: unknown[] = [];
  const outbox = ledger.outbox({
    allowAddresses: ["127.0.0.1"],
    pollMs: 20,
    onAlert: (alert) => alerts.push(alert),
    onFault: (error) => faults.push(error),
  });
  onTestFinished(() => outbox.stop());
  const delivered = () => receiver.events.map(({ data }) => data.runId);
  return { alerts, faults, delivered };
}

const runIds = ["a", "b", "poison", "c", "d"];
const append = (stepId: string, ids: readonly string[] = runIds) =>
  ledger.store.appendEvents(
    ids.map((runId) => newEvent({ runId, eventType: "StepStarted", stepId, planVersion: "1", planId: "p" })),
  );

test("a run whose changes cannot be recorded is reported once, and is delivered after the repair", async () => {
  const { alerts, delivered } = await publishTo();
  await append("first", ["a"]);
  await until(() => delivered().length === 1);
  await sql.query(refusing("INSERT"));
  await append("one");
  await until(() => delivered().length === 5);
  await append("two");
  await until(() => delivered().length === 9);
  expect(delivered()).not.toContain("poison");
  expect(alerts).toMatchObject([{ code: "OUTBOX_RUN_FAILED", runId: "poison" }]);
  expect(alerts[0]!.message).toContain("row is refused");
  await sql.query("DROP FUNCTION refuse CASCADE");
  await until(() => delivered().length === 11);
  expect(delivered().slice(9)).toEqual(["poison", "poison"]);
});

test("an outcome that cannot be saved does not make the others be delivered again", async () => {
  const { faults, delivered } = await publishTo();
  await sql.query(refusing("UPDATE", "NEW.delivered_seq > OLD.delivered_seq"));
  await append("one");
  await until(() => delivered().length === 5);
  await until(async () => {
    const { rows } = await sql.query("SELECT FROM runledger.deliveries WHERE delivered_seq = head_seq");
    return rows.length === 4 && faults.length > 0;
  });
  expect(String(faults[0])).toContain("refused");
});
