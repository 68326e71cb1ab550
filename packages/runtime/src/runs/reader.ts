/** Restricts what a reader of one tenant sees of workflows and workers. A reader of all tenants sees everything. */
import {
  isVisibleTo,
  sha256Hex,
  type FullStateStore,
  type KnownWorker,
  type PlanRef,
  type PublishedPlan,
  type Visibility,
} from "@runledger/contracts";

export interface Reader {
  readonly tenantId: string;
  readonly allTenants: boolean;
}

export function maySee(reader: Reader, { visibility }: Pick<PublishedPlan, "visibility">): boolean {
  return reader.allTenants || isVisibleTo(visibility, reader.tenantId);
}

/** Does not name other tenants. */
export function shownVisibility(
  reader: Reader,
  { visibility = "shared" }: Pick<PublishedPlan, "visibility">,
): Visibility {
  if (visibility === "shared" || reader.allTenants) return visibility;
  return { tenants: [reader.tenantId] };
}

/** Returns `true` if the worker can run something of the reader's tenant. */
export function isVisibleWorker({ tenants }: Pick<KnownWorker, "tenants">, reader: Reader): boolean {
  return reader.allTenants || tenants === undefined || tenants.includes(reader.tenantId);
}

/**
 * Workers have another name for each tenant. Their real names contain host names, and two tenants could compare them.
 */
export function workerName(workerId: string, { allTenants, tenantId }: Reader): string {
  return allTenants ? workerId : `worker-${sha256Hex(`${tenantId}|${workerId}`).slice(0, 12)}`;
}

const PAGE = 1000;

/** Returns a check for plans that the reader may not see. */
export async function hiddenPlans(store: FullStateStore, reader: Reader): Promise<(plan: PlanRef) => boolean> {
  const hidden = new Set<string>();
  let after: PublishedPlan | undefined;
  do {
    const page = reader.allTenants ? [] : await store.plans.listPlans({ limit: PAGE, ...(after && { after }) });
    for (const plan of page) if (!maySee(reader, plan)) hidden.add(keyOf(plan));
    after = page.length < PAGE ? undefined : page.at(-1);
  } while (after !== undefined);
  return (plan) => hidden.has(keyOf(plan));
}

function keyOf({ planId, planVersion }: PlanRef): string {
  return `${planId}|${planVersion}`;
}
