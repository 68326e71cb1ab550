/** A round of faults on a Temporal cluster: its workers, its server, and the store behind them. */
import { setTimeout as sleep } from "node:timers/promises";
import { bundledProgram } from "@runledger/test-support/bundled-program";
import { startSilentProxy } from "@runledger/test-support/silent-proxy";
import { TemporalServer } from "@runledger/test-support/temporal-server";
import { until } from "@runledger/test-support/until";
import type { WorkerKind } from "../engine/cluster.js";
import { planFaults, type FaultCounts } from "../engine/planned-faults.js";
import { runRound, type Round, type RoundFiles } from "../engine/round.js";

/** Thirty faults. */
const THIRTY: FaultCounts = {
  kills: { named: 10, anyTime: 3 },
  stops: { named: 6, anyTime: 2 },
  server: { postmaster: 3, backend: 1, temporal: 4, outage: 1 },
};

const HEARTBEAT_TIMEOUT_MS = 1500;
const PROGRAM = "tests/chaos/temporal/temporal-worker-process.ts";

/** Continues as new often, and loses activities soon. */
function workersOf(address: string, taskQueue: string): WorkerKind {
  const engine = { address, taskQueue, heartbeatTimeoutMs: HEARTBEAT_TIMEOUT_MS, continueAfterSteps: 4 };
  return {
    program: async () => [await bundledProgram(PROGRAM, { usesBuilds: true }), JSON.stringify(engine)],
    leaseMs: 3000,
    suspendMs: 2 * HEARTBEAT_TIMEOUT_MS,
    isShared: true,
  };
}

/** `outageMs` is how long the workers cannot reach the store. */
export async function runTemporalRound(seed: number, files: RoundFiles, outageMs: number): Promise<Round> {
  const server = await TemporalServer.start();
  const proxy = await startSilentProxy(files.url);
  const restart = async (): Promise<void> => {
    await server.kill();
    await sleep(500);
    await server.start();
  };
  const outage = async (): Promise<void> => {
    proxy.silence("all");
    await sleep(outageMs);
    proxy.resume();
  };
  try {
    const workers = workersOf(server.address, `chaos-${seed}`);
    const strikes = { temporal: restart, outage };
    const beforeStop = () => noExecutionIsLeft(server);
    const on = { ...files, workersUrl: proxy.url, workers, strikes, beforeStop };
    return await runRound(seed, planFaults(seed, THIRTY), on);
  } finally {
    await proxy.close();
    await server.stop();
  }
}

/** A finished run has no open execution. */
function noExecutionIsLeft(server: TemporalServer): Promise<void> {
  return until(async () => (await server.executions(`ExecutionStatus = "Running"`)).length === 0);
}
