import { newEvent } from "@runledger/contracts";
import { workflow } from "runledger";
import type { World } from "../world.js";
import type { Driver } from "./driver.js";

const append = ({ ledger }: World, runId: string) =>
  ledger.store.appendEvent(newEvent({ runId, eventType: "RunStarted", planVersion: "1" }));

async function subscribe({ ledger, refusing }: World): Promise<void> {
  const bus = { type: "webhook", url: refusing.url };
  await ledger.subscriptions.put({ id: "all", from: "now", bus, maxAttempts: 1 });
}

/** A receiver refuses an event until its attempts are used up. */
const OUTBOX_DEAD_LETTER: Driver = async (world) => {
  await subscribe(world);
  await append(world, "refused");
};

/** The database refuses to record a delivery, as a limit would. */
const OUTBOX_RUN_FAILED: Driver = async (world) => {
  await world.sql(`CREATE FUNCTION refuse_delivery() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'row is refused'; END $$;
    CREATE TRIGGER refuse BEFORE INSERT ON runledger.deliveries FOR EACH ROW
    WHEN (NEW.run_id = 'unrecorded') EXECUTE FUNCTION refuse_delivery()`);
  await subscribe(world);
  await append(world, "unrecorded");
};

/** The definition of a schedule cannot be read. */
const SCHEDULE_FAILED: Driver = async ({ ledger, sql }) => {
  const flow = workflow("waiting", { version: "1" }, (w) => w.waitForSignal("go"));
  await ledger.schedules.put({ id: "poison", workflow: flow, every: "1s", overlap: "allow" });
  const timing = JSON.stringify({ cron: "never", timeZone: "Mars/Olympus" });
  await sql(`UPDATE runledger.schedules SET definition = jsonb_set(definition, '{timing}', '${timing}')`);
};

/** The message of a source is not JSON. */
const TRIGGER_EVENT_REJECTED: Driver = async ({ ledger }) => {
  ledger.triggers.use({ sources: { broken: { open: () => ({ consume: async () => {} }) } } });
  await ledger.triggers.put({ id: "orders", source: { type: "broken" }, workflow: "waiting", maxAttempts: 1 });
};

export const deliveryDrivers = { OUTBOX_DEAD_LETTER, OUTBOX_RUN_FAILED, SCHEDULE_FAILED, TRIGGER_EVENT_REJECTED };
