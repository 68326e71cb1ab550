/** Workflows with how their runs stand: what is published is shared, what has run is the tenant's. */
import type { FullStateStore, PublishedPlan } from "@runledger/contracts";
import { newestFirst } from "./find-workflow.js";

const PLANS_AT_ONCE = 1000;

export async function listWorkflows(
  store: FullStateStore,
  { tenantId, after, limit }: { readonly tenantId: string; readonly after: string | undefined; readonly limit: number },
) {
  const found = await gather(store, after, limit + 1);
  const shown = [...found.values()].slice(0, limit);
  const items = await Promise.all(shown.map((versions) => summary(store, tenantId, newestFirst(versions))));
  return { items, next: found.size > limit ? (items.at(-1)?.workflowId ?? null) : null };
}

/** The first `count` workflows behind `after`, each with all of its versions. */
async function gather(store: FullStateStore, after: string | undefined, count: number) {
  const found = new Map<string, PublishedPlan[]>();
  let place = after === undefined ? undefined : { planId: after, planVersion: "\uffff" };
  for (;;) {
    const page = await store.plans.listPlans({ ...(place && { after: place }), limit: PLANS_AT_ONCE });
    for (const plan of page) {
      const known = found.get(plan.planId);
      if (known !== undefined) known.push(plan);
      else if (found.size === count) return found;
      else found.set(plan.planId, [plan]);
    }
    place = page.at(-1);
    if (page.length < PLANS_AT_ONCE) return found;
  }
}

async function summary(store: FullStateStore, tenantId: string, versions: readonly PublishedPlan[]) {
  const { planId, planVersion, publishedAt } = versions[0]!;
  const [counts, { runs }] = await Promise.all([
    store.index.countRuns({ tenantId, planId }),
    store.index.listRuns({ tenantId, planId, limit: 1 }),
  ]);
  const versionCount = versions.length;
  return { workflowId: planId, version: planVersion, publishedAt, versionCount, counts, lastRun: runs[0] ?? null };
}
