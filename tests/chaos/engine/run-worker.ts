/**
 * A worker as a user runs it. It logs its store calls, their results and its steps' effects to a file before anything else
 * happens. At its fault point it kills or suspends itself.
 */
import { linkSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import { RetryError } from "@runledger/contracts";
import { PostgresStore } from "@runledger/store-postgres";
import { Ledger, type LedgerWorkerOptions } from "@runledger/runtime/ledger/ledger";
import type { Worker } from "@runledger/runtime/engine/worker";
import { HistoryRecorder } from "@runledger/runtime/testing/history-recorder";
import { interceptStore, type Around } from "@runledger/runtime/testing/intercept-store";
import { random, seedOf } from "../../simulation/world/random.js";
import { pointOf, type Point, type WorkerFault } from "./planned-faults.js";
import { writeLine, type WorkerSettings } from "./worker-messages.js";
import { chaosWorkflows, type Deed } from "./workflows.js";

/** The faults cause these: lost workers isolate a run, and a run that is stopped leaves signals untaken. */
const EXPECTED_ALERTS: ReadonlySet<string> = new Set(["RUN_ISOLATED", "SIGNALS_UNTAKEN"]);

/** A worker that starts while its cluster is down reports that it waits. */
const EXPECTED_FAULT = "The worker waits for the Temporal server";

const { url, name, journal, charges, leaseMs, ...settings } = JSON.parse(process.argv[2]!) as WorkerSettings;
const file = openSync(journal, "a");
const note = (line: object): void => void writeSync(file, `${JSON.stringify(line)}\n`);

/** Only once: a process stopped from outside has had its fault. */
let { fault } = settings;
process.on("SIGCONT", () => (fault = null));
process.stdin.resume().once("end", () => process.exit(1)); // the parent process is gone
const isAskedToStop = new Promise<void>((resolve) => process.once("SIGTERM", () => resolve()));
let passes = 0;
const isDue = (point: Point | null, moment: string): boolean =>
  fault?.at?.point === point && fault.at.moment === moment && ++passes === fault.at.nth;

/** Kills or suspends this process; other processes continue. */
function triggerFault({ signal }: WorkerFault): void {
  writeLine("met");
  process.kill(process.pid, signal);
}

const faulty: Around = async (call) => {
  const point = pointOf(call);
  if (isDue(point, "before")) triggerFault(fault!);
  const answer = call.proceed();
  if (isDue(point, "during")) {
    answer.catch(() => {}); // awaited below
    await setImmediate(); // in flight now
    triggerFault(fault!);
  }
  const value = await answer;
  if (isDue(point, "after")) triggerFault(fault!);
  return value;
};

/** A visible side effect, and one that happens once per key. */
async function perform({ runId, stepId, attempt, idempotencyKey, needs, signal }: Deed): Promise<{ from: string }> {
  note({ execution: { worker: name, runId, stepId, attempt, needs } });
  if (isDue("step starts", "before")) triggerFault(fault!);
  await sleep(random(seedOf(`${runId} ${stepId} ${attempt}`)).between(0, 40), undefined, { signal });
  charge(idempotencyKey, `${runId} ${stepId}`);
  if (isDue("step is done", "before")) triggerFault(fault!);
  return { from: stepId };
}

/** Honors idempotency keys: a file is renamed into place once, and is complete from then on. */
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

/** The server may be down at any moment, even at the start. */
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

/** Runs until it is stopped from outside. */
export async function runWorker(options: Pick<LedgerWorkerOptions, "engine"> = {}): Promise<void> {
  const store = await patiently(() => PostgresStore.open({ url, migrate: false, poolSize: 5 }));
  const recorder = new HistoryRecorder({
    clock: () => Number(process.hrtime.bigint()),
    onOperation: (operation) => note({ operation }),
  });
  const ledger = new Ledger(interceptStore(store, recorder.recording(name, faulty)), async () => {});
  const worker: Worker = await patiently(() =>
    ledger.worker({
      ...options,
      workflows: Object.values(chaosWorkflows(perform)),
      leaseMs,
      pollMs: 50,
      concurrency: 20,
      onFault: ({ runId = "", error }) => {
        if (!String(error).includes(EXPECTED_FAULT)) note({ fault: `${runId} ${String(error)}` });
      },
      onAlert: ({ code, message }) => (EXPECTED_ALERTS.has(code) ? undefined : note({ fault: message })),
    }),
  );
  writeLine(`worker ${worker.id}`);
  await isAskedToStop;
  fault = null;
  await worker.stop();
  process.exit(0);
}
