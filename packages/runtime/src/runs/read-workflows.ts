/** Reads published workflows, with their runs by status. */
import type { FullStateStore, PublishedPlan } from "@runledger/contracts";
import { maySee, shownVisibility, type Reader } from "./reader.js";

const PLANS_PER_QUERY = 1000;

interface PageParams {
  readonly reader: Reader;
  readonly after: string | undefined;
  readonly limit: number;
}

/** Counts and runs are those of the reader's tenant. */
export async function readWorkflows(store: FullStateStore, { reader, after, limit }: PageParams) {
  const found = await findWorkflows(store, { reader, after, limit: limit + 1 });
  const page = [...found.values()].slice(0, limit);
  const items = await Promise.all(page.map((versions) => summarize(store, reader, newestFirst(versions))));
  return { items, next: found.size > limit ? (items.at(-1)?.workflowId ?? null) : null };
}

/** Finds the first workflows that the reader may see, each with all of its visible versions. */
async function findWorkflows(store: FullStateStore, { reader, after, limit }: PageParams) {
  const found = new Map<string, PublishedPlan[]>();
  let cursor = after === undefined ? undefined : { planId: after, planVersion: "\uffff" };
  for (;;) {
    const page = await store.plans.listPlans({ ...(cursor && { after: cursor }), limit: PLANS_PER_QUERY });
    for (const plan of page.filter((one) => maySee(reader, one))) {
      const versions = found.get(plan.planId);
      if (versions !== undefined) versions.push(plan);
      else if (found.size === limit) return found;
      else found.set(plan.planId, [plan]);
    }
    cursor = page.at(-1);
    if (page.length < PLANS_PER_QUERY) return found;
  }
}

async function summarize(store: FullStateStore, reader: Reader, versions: readonly PublishedPlan[]) {
  const { tenantId } = reader;
  const newest = versions[0]!;
  const { planId, planVersion, publishedAt } = newest;
  const [counts, { runs }] = await Promise.all([
    store.index.countRuns({ tenantId, planId }),
    store.index.listRuns({ tenantId, planId, limit: 1 }),
  ]);
  const versionCount = versions.length;
  const visibility = shownVisibility(reader, newest);
  const lastRun = runs[0] ?? null;
  return { workflowId: planId, version: planVersion, publishedAt, versionCount, visibility, counts, lastRun };
}

/** The higher number is newer if two versions were published at the same time. */
export function newestFirst(plans: readonly PublishedPlan[]): readonly PublishedPlan[] {
  return plans.toSorted(
    (one, other) =>
      Date.parse(other.publishedAt) - Date.parse(one.publishedAt) ||
      other.planVersion.localeCompare(one.planVersion, "en", { numeric: true }),
  );
}
