import { until } from "@runledger/test-support/until";
import { workflow, type Ledger } from "runledger";
import type { World } from "../world.js";
import type { Driver } from "./driver.js";

async function start({ client }: World, name: string): Promise<string> {
  return (await client.startRun({ workflow: name })).runId;
}

async function hasEvent({ store }: Ledger, runId: string, eventType: string, stepId: string): Promise<boolean> {
  return (await store.fetchEvents(runId)).some((each) => each.eventType === eventType && each.stepId === stepId);
}

/** Starts a run that waits for a signal, changes its checkpoint, and lets a worker resume it. */
const withCheckpoint =
  (change: (runId: string) => string): Driver =>
  async (world) => {
    const runId = await start(world, "wide");
    await until(() => hasParked(world, runId));
    await world.sql(change(runId));
    await world.client.signal(runId, "go", null);
  };

/** A run without an owner waits until it is woken. */
async function hasParked({ ledger }: World, runId: string): Promise<boolean> {
  const facts = await ledger.store.queue.inspectRun(runId);
  return facts?.entry.owner === null && (await hasEvent(ledger, runId, "StepStarted", "go"));
}

const CHECKPOINT_MISSING = withCheckpoint((runId) => `DELETE FROM runledger.checkpoints WHERE run_id = '${runId}'`);
const CHECKPOINT_UNUSABLE = withCheckpoint(
  (runId) => `UPDATE runledger.checkpoints SET format = 99 WHERE run_id = '${runId}'`,
);

/** The state of the run has 120 KB. */
const CHECKPOINT_LARGE: Driver = async (world) => {
  await start(world, "heavy");
};

/** An append waits for a lock for longer than the budget of the workers. */
const APPEND_BUDGET_EXCEEDED: Driver = async (world) => {
  const runId = await start(world, "held");
  await until(() => hasEvent(world.ledger, runId, "StepStarted", "one"));
  const held = world.sql(`BEGIN; LOCK TABLE runledger.run_events IN SHARE MODE; SELECT pg_sleep(8); COMMIT`);
  await until(async () => JSON.stringify(await world.sql(LOCKED)).includes("true"));
  world.openGate("held");
  await held;
};
const LOCKED = `SELECT count(*) > 0 AS locked FROM pg_locks WHERE relation = 'runledger.run_events'::regclass
  AND mode = 'ShareLock' AND granted`;

/** A failover loses the last events of a run while a worker executes its second step. */
const EVENTS_LOST: Driver = async (world) => {
  const runId = await start(world, "gated");
  await until(() => hasEvent(world.ledger, runId, "StepStarted", "second"));
  await world.sql(`DELETE FROM runledger.run_events WHERE run_id = '${runId}' AND run_seq > 2;
    UPDATE runledger.run_heads SET head_seq = 2 WHERE run_id = '${runId}'`);
  world.openGate("gated");
};

/** The plan of the workflow with this name. Only workers execute its step. */
const deadly = workflow("deadly", { version: "1" }, (w) => w.step("kill", () => 0));

/** Two workers are killed by the same step, perhaps before they print anything. They serve only the tenant of the run. */
const RUN_ISOLATED: Driver = async ({ ledger, runWorker, startWorker }) => {
  await ledger.start(deadly, { tenantId: "suspects" });
  for (let killed = 0; killed < 2; killed++) await runWorker("--tenant", "suspects");
  await startWorker("alone", "--tenant", "suspects");
};

/** A run finishes without taking a signal that it has accepted. */
const SIGNALS_UNTAKEN: Driver = async (world) => {
  const runId = await start(world, "waiting");
  await world.client.signal(runId, "late", null);
  await world.client.signal(runId, "go", null);
};

export const workerDrivers = {
  APPEND_BUDGET_EXCEEDED,
  CHECKPOINT_MISSING,
  CHECKPOINT_UNUSABLE,
  CHECKPOINT_LARGE,
  EVENTS_LOST,
  RUN_ISOLATED,
  SIGNALS_UNTAKEN,
};
