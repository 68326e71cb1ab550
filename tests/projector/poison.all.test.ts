// @module-tag R-08
/** Runs that a projector cannot read, fold or save. They are skipped and reported, and the others continue. */
import { Client } from "pg";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { newEvent, type NewEvent } from "@runledger/contracts";
import { catchUp } from "@runledger/runtime/projector/catch-up";
import { rebuild } from "@runledger/runtime/projector/rebuild";
import { PostgresStore } from "@runledger/store-postgres";
import { freshDatabase, type FreshDatabase } from "@runledger/test-support/fresh-database";
import { testServer } from "@runledger/test-support/test-server";
import { until } from "@runledger/test-support/until";
import { connect } from "runledger";

let database: FreshDatabase;
let store: PostgresStore;
let sql: Client;

beforeEach(async () => {
  database = await freshDatabase();
  store = await PostgresStore.open({ url: database.url });
  sql = new Client({ connectionString: database.url });
  await sql.connect();
  onTestFinished(() => database.drop());
});
afterEach(async () => {
  await sql.end();
  await store.close();
});

const event = (runId: string, stepId: string): NewEvent =>
  newEvent({ runId, eventType: "StepStarted", stepId, planVersion: "1", planId: "p" });

const runIds = Array.from({ length: 12 }, (_, n) => `run-${n}`);
const POISON = "run-5";
const sound = runIds.filter((runId) => runId !== POISON);

const record = (stepId: string) => store.appendEvents(runIds.map((runId) => event(runId, stepId)));

async function areCurrent(ids: readonly string[]): Promise<boolean> {
  for (const runId of ids) {
    const [stored, folded] = [await store.getSnapshot(runId), await store.projectSnapshot(runId)];
    if (stored?.lastEventSeq !== folded.lastEventSeq || stored.stale === true) return false;
    expect(stored).toEqual(folded);
  }
  return true;
}

/** Refuses to save the run, as a limit of the database would. */
const UNSAVABLE = `
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF NEW.last_event_seq > 1 THEN RAISE EXCEPTION 'row is too big'; END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER refuse BEFORE UPDATE ON runledger.run_snapshots FOR EACH ROW
WHEN (NEW.run_id = '${POISON}') EXECUTE FUNCTION refuse()`;

const faults = {
  "cannot be read": {
    plant: `UPDATE runledger.run_snapshots SET header = '{"status": "RUNNING"}' WHERE run_id = '${POISON}'`,
    repair: async () => {
      for await (const { orphan } of rebuild(store, { runId: POISON })) expect(orphan).toBe(false);
    },
  },
  "cannot be saved": { plant: UNSAVABLE, repair: async () => void (await sql.query("DROP FUNCTION refuse CASCADE")) },
};

for (const [what, { plant, repair }] of Object.entries(faults))
  test(`a run that ${what} is reported once, stays stale, and stops no other run`, async () => {
    const { ledger, client } = await testServer([], { store: database.url });
    const projector = ledger.projector({ pollMs: 20, onAlert: () => {}, onFault: () => {} });
    await record("a");
    await until(() => areCurrent(runIds));
    await projector.stop();
    await sql.query(plant);
    const next = ledger.projector({ pollMs: 20, onAlert: () => {}, onFault: () => {} });
    await record("b");
    await until(() => areCurrent(sound));
    await record("c");
    await until(() => areCurrent(sound));
    await until(async () => (await client.getHealth()).projector?.staleRuns === 1);
    const { alerts } = await client.getHealth();
    const critical = alerts.filter(({ severity }) => severity === "critical"); // a busy machine may lag
    expect(critical).toMatchObject([{ code: "PROJECTOR_RUN_FAILED", runId: POISON }]);
    const { runs } = await store.index.listRuns({ tenantId: "default" });
    expect(runs.filter(({ stale }) => stale === true).map(({ runId }) => runId)).toEqual([POISON]);
    await repair();
    await until(() => areCurrent(runIds));
    await next.stop();
  });

test("a one-off catch-up skips a run that it cannot project", async () => {
  await record("a");
  await catchUp(store);
  await sql.query(faults["cannot be read"].plant);
  await record("b");
  await catchUp(store);
  expect(await areCurrent(sound)).toBe(true);
});

test("several runs that cannot be saved do not stop the next ones, whether they come together or are retried", async () => {
  const ledger = await connect(database.url);
  onTestFinished(() => ledger.close());
  const failed = () => ledger.alerts.filter(({ code }) => code === "PROJECTOR_RUN_FAILED").length;
  const projector = ledger.projector({ pollMs: 20, onAlert: () => {}, onFault: () => {} });
  await record("a");
  await until(() => areCurrent(runIds));
  await sql.query(UNSAVABLE.replace(`NEW.run_id = '${POISON}'`, "NEW.run_id IN ('run-5', 'run-6')"));
  const poison = ["run-5", "run-6"];
  await store.appendEvents(poison.map((runId) => event(runId, "b"))); // no other run changes
  await until(() => failed() === 2);
  await until(async () => (await store.snapshots.listStale()).length === 2);
  const others = runIds.filter((runId) => !poison.includes(runId));
  for (const stepId of ["b", "c"]) {
    await store.appendEvents(others.map((runId) => event(runId, stepId)));
    await until(() => areCurrent(others));
  }
  expect(failed()).toBe(2);
  await sql.query("DROP FUNCTION refuse CASCADE");
  await until(() => areCurrent(runIds));
  await projector.stop();
});

test("a run of another engine whose state outgrows the limit stays stale, and stops no other run", async () => {
  const ledger = await connect(database.url);
  onTestFinished(() => ledger.close());
  const alerts = () => ledger.alerts.filter(({ code }) => code === "PROJECTOR_RUN_FAILED");
  const projector = ledger.projector({ pollMs: 20, onAlert: () => {}, onFault: () => {} });
  const patch = (n: number) => ({ [`part-${n}`]: "x".repeat(200 * 1024) });
  for (let n = 0; n < 45; n++) {
    const parts = { runId: POISON, eventType: "StepCompleted", stepId: `s${n}`, planVersion: "1", planId: "p" };
    await store.appendEvent(newEvent({ ...parts, eventData: { output: null, patch: patch(n) } }));
  }
  await store.appendEvents(sound.map((runId) => event(runId, "a")));
  await until(() => areCurrent(sound));
  await until(() => alerts().length === 1);
  const [alert] = alerts();
  expect(alert!.runId).toBe(POISON);
  expect(alert!.message).toContain("the limit is 4194304");
  await store.appendEvents(sound.map((runId) => event(runId, "b")));
  await until(() => areCurrent(sound));
  await projector.stop();
});
