// @module-tag R-09
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { PostgresStore } from "@runledger/store-postgres";
import { startReplicatedPair } from "@runledger/test-support/replicated-pair";
import { startSilentProxy } from "@runledger/test-support/silent-proxy";
import { planStops, POINTS } from "./engine/planned-faults.js";
import { judgeAndPrint } from "./engine/report.js";
import { runRound } from "./engine/round.js";

const SEED = Number(process.env["CHAOS_SEED"] ?? 9);

test("workers stop at every named point past their lease, and the primary stops: no run is lost or stuck", async () => {
  const folder = await mkdtemp(join(tmpdir(), "runledger-stops-"));
  await chmod(folder, 0o711);
  const pair = await startReplicatedPair({ synchronous: true });
  const proxy = await startSilentProxy(pair.primary);
  onTestFinished(async () => {
    await proxy.close();
    await pair.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 20 });
  });
  await (await PostgresStore.open({ url: proxy.url })).close();
  const failOver = async (): Promise<void> => {
    await pair.freezePrimary();
    proxy.lead(pair.standby);
    await pair.promote();
  };
  const round = await runRound(SEED, planStops(SEED), {
    url: proxy.url,
    dataDir: "",
    folder,
    strikes: { failover: failOver },
  });
  judgeAndPrint(SEED, round);
  const stops = [...round.hits.keys()];
  expect(POINTS.filter((point) => !stops.some((name) => name.endsWith(` ${point}`)))).toEqual([]);
  expect(round.hits.get("failover")).toBe(1);
});
