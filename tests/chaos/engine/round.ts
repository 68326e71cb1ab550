/** Injects faults while runs of every shape execute, then judges all runs. */
import { mkdirSync, mkdtempSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { PostgresStore } from "@runledger/store-postgres";
import { Ledger } from "@runledger/runtime/ledger/ledger";
import { HistoryRecorder } from "@runledger/runtime/testing/history-recorder";
import { interceptStore } from "@runledger/runtime/testing/intercept-store";
import { Cluster, embeddedWorkers, type ClusterParts } from "./cluster.js";
import { Database } from "./database.js";
import type { PlannedFault } from "./planned-faults.js";
import { Operator } from "./operator.js";
import { judgeRound, type RoundVerdict } from "./verdict.js";

/** Time after the last fault within which every run must finish. */
const PATIENCE_MS = 240_000;

export interface RoundFiles {
  /** An empty database. */
  readonly url: string;
  /** The data directory of the server. Its lock file names the server's process. */
  readonly dataDir: string;
  /** Folder for the files of processes. */
  readonly folder: string;
  readonly workers?: ClusterParts["workers"];
  readonly strikes?: ClusterParts["strikes"];
  /** The address that workers use, if it differs. */
  readonly workersUrl?: string;
  /** Waits, when all runs are finished, until nothing else is left. */
  readonly beforeStop?: () => Promise<void>;
}

export interface Round extends RoundVerdict {
  readonly hits: ReadonlyMap<string, number>;
  readonly started: readonly string[];
}

export async function runRound(seed: number, faults: readonly PlannedFault[], files: RoundFiles): Promise<Round> {
  const { url, dataDir, folder: parent, workersUrl = url, workers = embeddedWorkers, strikes = {} } = files;
  const folder = mkdtempSync(join(parent, `round-${seed}-`));
  mkdirSync(join(folder, "charges"));
  const store = await PostgresStore.open({ url });
  const database = new Database(url, dataDir);
  const recorder = new HistoryRecorder({ clock: () => Number(process.hrtime.bigint()) });
  const asked = interceptStore(
    store,
    recorder.recording("operator", ({ proceed }) => proceed()),
  );
  const operator = new Operator(new Ledger(asked, async () => {}), database, seed);
  const cluster = new Cluster({ url: workersUrl, folder, database, workers, strikes });
  const working = operator.work();
  try {
    await cluster.injectFaults(faults);
    operator.stop();
    const stuck = await untilAllHaveEnded(database, working);
    await files.beforeStop?.();
    await cluster.stop();
    const { broken, ...verdict } = await judgeRound(folder, store, recorder.operations);
    const own = [...cluster.unexpected, ...stuck].map((message) => ({ invariant: "chaos", message }));
    return { ...verdict, broken: [...own, ...broken], hits: cluster.hits, started: operator.started };
  } finally {
    operator.stop();
    working.catch(() => {}); // if the round already failed, the remaining signals cannot be sent
    cluster.kill();
    await database.close();
    await store.close();
  }
}

async function untilAllHaveEnded(database: Database, working: Promise<void>): Promise<string[]> {
  const end = performance.now() + PATIENCE_MS;
  const late = sleep(PATIENCE_MS, "late", { ref: false });
  if ((await Promise.race([working, late])) === "late") return ["the remaining signals could not be sent"];
  for (;;) {
    const open = await database.openRuns();
    if (open === 0) return [];
    if (performance.now() > end) return [`${open} runs are stuck or lost`];
    await sleep(50);
  }
}
