import { z } from "zod";
import { InputError, type RunHead, RunNotFoundError, type TenantStore } from "@runledger/contracts";
import { identifier, integerParam } from "../http/schemas.js";

export const byRun = z.object({ runId: identifier });
export const atSeq = integerParam(1)
  .optional()
  .meta({ description: "Returns the state at this seq of the run's log. Defaults to the current state." });

/** Returns the head of a run of this tenant, so that later reads by id are safe. Throws RUN_NOT_FOUND. */
export async function findRun(store: TenantStore, runId: string): Promise<RunHead> {
  const [head] = await store.fetchHeads([runId]);
  if (head === undefined) throw new RunNotFoundError(runId);
  return head;
}

/** Throws REQUEST_INVALID if the run has not reached the seq. */
export function checkSeq({ headSeq }: RunHead, seq = headSeq): number {
  if (seq <= headSeq) return seq;
  throw new InputError(
    "REQUEST_INVALID",
    "query.atSeq",
    `is ${seq}, but the run is at seq ${headSeq}. Request a seq up to ${headSeq}.`,
  );
}
