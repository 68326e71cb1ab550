/** Names of jobs and ids of their runs. Both follow from the event alone, so a repeated delivery names the same run. */
import { createHash } from "node:crypto";
import { UNDO } from "@runledger/core";

/** Identifies the UUIDs of this mapping (RFC 9562, version 5). */
const NAMESPACE = Buffer.from("6f1c8a52d8c44b0e9d3c0f3a7b5e2c91", "hex");

export interface AttemptName {
  readonly tenantId: string;
  readonly runId: string;
  /** Absent for the run as a whole. */
  readonly stepId?: string | undefined;
  readonly attempt?: string | undefined;
}

/** Each attempt of a step is another run. */
export function lineageRunId({ tenantId, runId, stepId, attempt = "1" }: AttemptName): string {
  const parts = stepId === undefined ? [tenantId, runId] : [tenantId, runId, stepId, attempt];
  const hash = createHash("sha1").update(NAMESPACE).update(JSON.stringify(parts)).digest();
  hash[6] = (hash[6]! & 0x0f) | 0x50;
  hash[8] = (hash[8]! & 0x3f) | 0x80;
  const hex = hash.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join("-");
}

/**
 * The passes of a loop are runs of one job: `load/3/copy` of `shop` is the job `shop.load.copy`. A step that a runner has found,
 * such as `build/model.shop.orders`, keeps its whole name.
 */
export function jobName(workflow: string, stepId: string): string {
  const isUndo = stepId.startsWith(UNDO);
  const names = (isUndo ? stepId.slice(UNDO.length) : stepId).split("/");
  const path = names.filter((_, place) => place % 2 === 0 || place === names.length - 1);
  return [workflow, ...(isUndo ? ["compensate"] : []), ...path].join(".");
}

/** Passes of a `repeat` are recorded as steps, but they only count. */
export function isPass(stepId: string): boolean {
  const names = stepId.split("/");
  return names.length % 2 === 0 && !stepId.startsWith(UNDO) && /^\d+$/.test(names.at(-1)!);
}
