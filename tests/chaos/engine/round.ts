/** Fifty faults while runs of every shape are under way, and the verdict when all of them have ended. */
import { mkdirSync, mkdtempSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { PostgresStore } from "@runledger/store-postgres";
import { Ledger } from "../../../packages/runledger/src/ledger/ledger.js";
import { HistoryRecorder } from "../../../packages/runledger/src/testing/history-recorder.js";
import { interceptStore } from "../../../packages/runledger/src/testing/intercept-store.js";
import { Cluster } from "./cluster.js";
import { Database } from "./database.js";
import { dealFates } from "./fates.js";
import { Operator } from "./operator.js";
import { judgeRound, type Verdict } from "./verdict.js";

/** What has not ended this long after the last fault never will. */
const PATIENCE_MS = 60_000;

export interface Place {
  /** An empty database. */
  readonly url: string;
  /** The server's. */
  readonly dataDir: string;
  /** For what processes leave behind. */
  readonly folder: string;
}

export interface Round extends Verdict {
  readonly hits: ReadonlyMap<string, number>;
  readonly started: readonly string[];
}

export async function runRound(seed: number, { url, dataDir, folder: parent }: Place): Promise<Round> {
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
  const cluster = new Cluster({ url, folder, database });
  const working = operator.work();
  try {
    await cluster.suffer(dealFates(seed));
    operator.stop();
    const stuck = await untilAllHaveEnded(database, working);
    await cluster.stop();
    const { broken, ...verdict } = await judgeRound(folder, store, recorder.operations);
    const own = [...cluster.faults, ...stuck].map((message) => ({ invariant: "chaos", message }));
    return { ...verdict, broken: [...own, ...broken], hits: cluster.hits, started: operator.started };
  } finally {
    operator.stop();
    working.catch(() => {}); // where something is wrong already, what it still wants to send cannot be sent
    cluster.kill();
    await database.close();
    await store.close();
  }
}

async function untilAllHaveEnded(database: Database, working: Promise<void>): Promise<string[]> {
  const end = performance.now() + PATIENCE_MS;
  const late = sleep(PATIENCE_MS, "late", { ref: false });
  if ((await Promise.race([working, late])) === "late") return ["what was to be sent to runs could not be sent"];
  for (;;) {
    const open = await database.openRuns();
    if (open === 0) return [];
    if (performance.now() > end) return [`${open} runs are stuck or lost`];
    await sleep(50);
  }
}
