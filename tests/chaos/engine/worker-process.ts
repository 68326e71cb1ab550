/**
 * A worker as a user runs one, and a witness: what it asks of the store, what it was told and what its steps did goes to
 * a file before anything else happens. At the point that its fate names it kills or stops itself, as if from outside.
 */
import { linkSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import { RetryError } from "@runledger/contracts";
import { PostgresStore } from "@runledger/store-postgres";
import { Ledger } from "../../../packages/runledger/src/ledger/ledger.js";
import type { Worker } from "../../../packages/runledger/src/engine/worker.js";
import { HistoryRecorder } from "../../../packages/runledger/src/testing/history-recorder.js";
import { interceptStore, type Around } from "../../../packages/runledger/src/testing/intercept-store.js";
import { random, seedOf } from "../../simulation/world/random.js";
import { pointOf, type Point, type WorkerFate } from "./fates.js";
import { say, type Told } from "./told.js";
import { chaosWorkflows, type Deed } from "./workflows.js";

const { url, name, journal, charges, leaseMs, ...told } = JSON.parse(process.argv[2]!) as Told;
const file = openSync(journal, "a");
const note = (line: object): void => void writeSync(file, `${JSON.stringify(line)}\n`);

/** Once: who was stopped from outside has met it. */
let { fate } = told;
process.on("SIGCONT", () => (fate = null));
process.stdin.resume().once("end", () => process.exit(1)); // whoever started it is gone
const isAskedToStop = new Promise<void>((resolve) => process.once("SIGTERM", () => resolve()));
let passes = 0;
const isMeant = (point: Point | null, moment: string): boolean =>
  fate?.at?.point === point && fate.at.moment === moment && ++passes === fate.at.nth;

/** The end, or a long pause: other processes go on meanwhile. */
function meetFate({ signal }: WorkerFate): void {
  say("met");
  process.kill(process.pid, signal);
}

const fated: Around = async (call) => {
  const point = pointOf(call);
  if (isMeant(point, "before")) meetFate(fate!);
  const answer = call.proceed();
  if (isMeant(point, "during")) {
    answer.catch(() => {}); // it is looked at below
    await setImmediate(); // it is on its way now
    meetFate(fate!);
  }
  const value = await answer;
  if (isMeant(point, "after")) meetFate(fate!);
  return value;
};

/** A side effect that the world sees, and one that it does once per key. */
async function perform({ runId, stepId, attempt, idempotencyKey, needs, signal }: Deed): Promise<{ from: string }> {
  note({ execution: { worker: name, runId, stepId, attempt, needs } });
  if (isMeant("step begins", "before")) meetFate(fate!);
  await sleep(random(seedOf(`${runId} ${stepId} ${attempt}`)).between(0, 40), undefined, { signal });
  charge(idempotencyKey, `${runId} ${stepId}`);
  if (isMeant("step is done", "before")) meetFate(fate!);
  return { from: stepId };
}

/** What honours idempotency keys: a file gets its name once, whoever tries, and is whole from then on. */
function charge(key: string, what: string): void {
  const draft = join(charges, `${key}.${name}`);
  writeFileSync(draft, what);
  try {
    linkSync(draft, join(charges, key));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  rmSync(draft);
}

/** The server may be down at any moment, also at the first one. */
async function patiently<T>(action: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await action();
    } catch (error) {
      if (!(error instanceof RetryError)) throw error;
      await sleep(50);
    }
  }
}

const store = await patiently(() => PostgresStore.open({ url, migrate: false, poolSize: 5 }));
const recorder = new HistoryRecorder({
  clock: () => Number(process.hrtime.bigint()),
  onOperation: (operation) => note({ operation }),
});
const ledger = new Ledger(interceptStore(store, recorder.recording(name, fated)), async () => {});
const worker: Worker = await patiently(() =>
  ledger.worker({
    workflows: Object.values(chaosWorkflows(perform)),
    leaseMs,
    pollMs: 50,
    concurrency: 20,
    onFault: ({ runId = "", error }) => note({ fault: `${runId} ${String(error)}` }),
    onAlert: ({ message }) => note({ fault: message }),
  }),
);
say(`worker ${worker.id}`);
await isAskedToStop;
fate = null;
await worker.stop();
process.exit(0);
