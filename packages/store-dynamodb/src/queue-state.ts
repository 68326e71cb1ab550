/**
 * The state of the queue that claims share, and the workers. They lie in one partition, so that a claim reads both with one
 * request. Every claim raises the version of the state in its transaction: claims happen one after the other, each under the
 * limits that it has read.
 */
import type { PlanRef } from "@runledger/contracts";
import type { StartRate } from "@runledger/core/store";
import type { WriteAction } from "./actions.js";
import type { DynamoClient } from "./client.js";
import { equals, type Condition } from "./conditions.js";
import { json, number, numberOrNull, text, type Item } from "./encoding.js";
import { getItem, queryAll } from "./items.js";
import type { Key } from "./table.js";

const WORKERS = "WORKER#all";
/** Sorts before every worker. */
export const stateKey: Key = { pk: WORKERS, sk: "\u0001state" };
export const workerKey = (workerId: string): Key => ({ pk: WORKERS, sk: workerId });

export interface QueueState {
  /** 0 if nothing was claimed and no limit was set. */
  readonly version: number;
  /** The time of the last claim. No claim has an earlier one, whichever machine it runs on. */
  readonly at: number;
  /** The turn of tenants that was served last. */
  readonly served: number;
  /** Changes with the limits. 0 if there never were any. */
  readonly limitsVersion: number;
  /** `true` once a run with a concurrency key was started. */
  readonly hasKeys: boolean;
  /** Recent starts of all runs. */
  readonly rate?: StartRate;
}

export interface WorkerRow {
  readonly workerId: string;
  readonly expiresAt: number;
  readonly seenAt: number;
  readonly plans: readonly PlanRef[];
  readonly logFormat: number;
  readonly tenants?: readonly string[];
  /** `true` if it has retired. Its item stays until its runs were taken over. */
  readonly isRetired: boolean;
  /** `true` if it was lost, and all its runs were taken over. */
  readonly isSwept: boolean;
}

export function toState(item: Item | null): QueueState {
  if (item === null) return { version: 0, at: 0, served: 0, limitsVersion: 0, hasKeys: false };
  const [since, starts] = [numberOrNull(item, "rateSince"), numberOrNull(item, "rateStarts")];
  return {
    version: numberOrNull(item, "version") ?? 0,
    at: numberOrNull(item, "at") ?? 0,
    served: numberOrNull(item, "served") ?? 0,
    limitsVersion: numberOrNull(item, "limitsVersion") ?? 0,
    hasKeys: item["hasKeys"] === true,
    ...(since === null || starts === null ? {} : { rate: { since, starts } }),
  };
}

function toWorker(item: Item): WorkerRow {
  return {
    workerId: text(item, "sk"),
    expiresAt: number(item, "expiresAt"),
    seenAt: number(item, "seenAt"),
    plans: "plans" in item ? (json(item, "plans") as PlanRef[]) : [],
    logFormat: numberOrNull(item, "logFormat") ?? 0,
    ...("tenants" in item ? { tenants: json(item, "tenants") as string[] } : {}),
    isRetired: item["retired"] === true,
    isSwept: item["swept"] === true,
  };
}

export async function readState(client: DynamoClient): Promise<QueueState> {
  return toState(await getItem(client, stateKey));
}

export async function readWorkers(
  client: DynamoClient,
): Promise<{ readonly state: QueueState; readonly workers: readonly WorkerRow[] }> {
  const items = await queryAll(client, { pk: WORKERS });
  const isState = (item: Item): boolean => item["sk"] === stateKey.sk;
  return {
    state: toState(items.find(isState) ?? null),
    workers: items.filter((item) => !isState(item)).map(toWorker),
  };
}

export function isAlive(worker: WorkerRow | undefined, now: number): boolean {
  return worker !== undefined && !worker.isRetired && worker.expiresAt > now;
}

export async function isWorkerAlive(client: DynamoClient, workerId: string): Promise<boolean> {
  const item = await getItem(client, workerKey(workerId));
  return item !== null && isAlive(toWorker(item), client.clock.now());
}

/** Raises the version, if no other claim did since. */
export function nextState(before: QueueState, changes: Pick<QueueState, "at" | "served" | "rate">): WriteAction {
  const { at, served, rate } = changes;
  const unchanged: Condition =
    before.version === 0 ? { op: "absent", name: "version" } : equals({ version: before.version });
  const rates = rate === undefined ? {} : { rateSince: rate.since, rateStarts: rate.starts };
  return { kind: "update", key: stateKey, set: { at, served, ...rates }, add: { version: 1 }, when: unchanged };
}
