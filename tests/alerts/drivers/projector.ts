import { newEvent, type NewEvent } from "@runledger/contracts";
import { until } from "@runledger/test-support/until";
import type { Driver } from "./driver.js";

const event = (runId: string, eventType: string): NewEvent => newEvent({ runId, eventType, planVersion: "1" });

/** The process of the only projector is suspended. */
const PROJECTOR_LAG_HIGH: Driver = async ({ ledger, back, sql, client }) => {
  back.process.kill("SIGSTOP");
  await ledger.store.appendEvent(event("late", "RunStarted"));
  await sql("UPDATE runledger.run_events SET persisted_at = persisted_at - interval '6 s' WHERE run_id = 'late'");
  await until(async () => (await client.getHealth()).alerts.some(({ code }) => code === "PROJECTOR_LAG_HIGH"));
  back.process.kill("SIGCONT");
  await until(async () => (await client.getHealth()).projector?.lagSeconds === 0);
};

/** The second event of a run is missing. */
const PROJECTOR_GAP_DETECTED: Driver = async ({ ledger, sql }) => {
  await ledger.store.appendEvent(event("torn", "RunStarted"));
  await sql("UPDATE runledger.run_heads SET head_seq = 2 WHERE run_id = 'torn'");
  await ledger.store.appendEvent(event("torn", "RunCompleted"));
};

/** The database refuses the projection of a run, as a limit would. */
const PROJECTOR_RUN_FAILED: Driver = async ({ ledger, sql }) => {
  await sql(`CREATE FUNCTION refuse_snapshot() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'row is too big'; END $$;
    CREATE TRIGGER refuse BEFORE INSERT OR UPDATE ON runledger.run_snapshots FOR EACH ROW
    WHEN (NEW.run_id = 'unsavable') EXECUTE FUNCTION refuse_snapshot()`);
  await ledger.store.appendEvent(event("unsavable", "RunStarted"));
};

export const projectorDrivers = { PROJECTOR_LAG_HIGH, PROJECTOR_GAP_DETECTED, PROJECTOR_RUN_FAILED };
