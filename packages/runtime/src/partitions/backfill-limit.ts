/** Limits how many runs of a workflow's backfills run at once. */
import type { FullStateStore, LimitTarget } from "@runledger/contracts";

/** The runs of all backfills of a workflow share a concurrency key. Longer ids are cut so that the key stays an identifier. */
export function backfillKey(planId: string): string {
  return `partitions:${planId.slice(0, 240)}`;
}

/** Sets how many runs with the key run at once, and keeps everything else of the limit. */
export async function limitBackfill(
  { limits }: FullStateStore,
  { tenantId, planId }: { readonly tenantId: string; readonly planId: string },
  maxRunning: number,
): Promise<void> {
  const target: LimitTarget = { scope: "concurrencyKey", subject: `${tenantId}|${backfillKey(planId)}` };
  const all = await limits.listLimits();
  const known = all.find(({ scope, subject }) => scope === target.scope && subject === target.subject);
  await limits.setLimit({ rate: null, maxQueued: null, priority: null, ...known, ...target, maxRunning });
}
