/** Records a small run in an embedded PostgreSQL, and prints its events and the snapshot folded from them. */
import { DEFAULT_TENANT, LOG_FORMAT, newEvent, RunledgerError, type Json, type NewEvent } from "@runledger/contracts";
import { startEmbeddedPostgres } from "@runledger/embedded";
import { PostgresStore } from "@runledger/store-postgres";

const RUN_ID = "run-first";
const dataDir = process.argv[2] ?? ".runledger";

function event(eventType: string, stepId?: string, eventData: Json = {}): NewEvent {
  const step = stepId === undefined ? {} : { stepId };
  return newEvent({ runId: RUN_ID, planId: "first-run", planVersion: "1.0.0", eventType, eventData, ...step });
}

const plan = { planId: "first-run", planVersion: "1.0.0" };
const small = [
  event("RunQueued", undefined, {
    plan,
    logFormat: LOG_FORMAT,
    tenantId: DEFAULT_TENANT,
    input: { day: "2026-11-14" },
  }),
  event("RunStarted"),
  event("StepStarted", "extract"),
  event("StepCompleted", "extract", { output: { rows: 3 } }),
  event("StepStarted", "load"),
  event("StepCompleted", "load"),
  event("RunCompleted", undefined, { output: { loaded: 3 } }),
];

async function main(): Promise<void> {
  await using postgres = await startEmbeddedPostgres({ dataDir });
  await using store = await PostgresStore.open({ url: postgres.url });
  console.log(`Runledger · PostgreSQL ${postgres.version} in ${dataDir}\n`);

  const before = await store.fetchEvents(RUN_ID);
  if (before.length > 0) console.log(`Found run ${RUN_ID} with ${before.length} events from an earlier start.`);
  const results = await store.appendEvents(small);
  const written = results.filter((result) => result.persisted).length;
  console.log(`Appended ${small.length} events: ${written} new, ${small.length - written} already stored.\n`);

  for (const { runSeq, eventType, stepId = "", persistedAt } of await store.fetchEvents(RUN_ID)) {
    console.log(`${String(runSeq).padStart(3)}  ${eventType.padEnd(14)} ${stepId.padEnd(8)} ${persistedAt}`);
  }
  console.log("\nSnapshot");
  console.dir(await store.projectSnapshot(RUN_ID), { depth: 4 });
  console.log(`\nNext    start it again, or kill -9 it: all acknowledged events are still there`);
}

main().catch((error: unknown) => {
  console.error(error instanceof RunledgerError ? `error ${error.code}  ${error.message}` : error);
  process.exitCode = 1;
});
