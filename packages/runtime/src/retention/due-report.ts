/** Counts what the policies would do now, without doing it. */
import {
  policyFor,
  type DueRun,
  type FullStateStore,
  type RetentionGroup,
  type RetentionPolicy,
} from "@runledger/contracts";
import { groupsOf } from "./retention-pass.js";

/** The due runs of one workflow. Counts stop at 10,000. */
export interface DueGroup extends RetentionGroup {
  readonly archiveAfterMs: number | null;
  readonly deleteAfterMs: number | null;
  /** Runs in the log that are to be archived. */
  readonly toArchive: number;
  /** Runs that are to be deleted, archived or not. Runs that were set aside for another run are not counted. */
  readonly toDelete: number;
}

const PAGE = 1000;
const MOST = 10_000;

/** Leaves out workflows without a policy and without due runs. */
export async function reportDue(
  store: FullStateStore,
  tenant: { readonly tenantId?: string } = {},
): Promise<DueGroup[]> {
  const policies = await store.retention.listPolicies();
  const report: DueGroup[] = [];
  for await (const group of groupsOf(store, tenant)) {
    const policy = policyFor(policies, "runs", group);
    const found = policy === undefined ? null : await dueOf(store, group, policy);
    if (found !== null && found.toArchive + found.toDelete > 0) report.push(found);
  }
  return report;
}

async function dueOf(store: FullStateStore, group: RetentionGroup, policy: RetentionPolicy): Promise<DueGroup> {
  const { archiveAfterMs, deleteAfterMs } = policy;
  const inLog = await count(store, group, false, archiveAfterMs ?? deleteAfterMs);
  const archived = await count(store, group, true, deleteAfterMs);
  const alsoDeleted = await count(store, group, false, deleteAfterMs);
  const toDelete = Math.min(MOST, archived + alsoDeleted);
  return { ...group, archiveAfterMs, deleteAfterMs, toArchive: inLog, toDelete };
}

async function count(
  { retention }: FullStateStore,
  group: RetentionGroup,
  archived: boolean,
  olderThanMs: number | null,
): Promise<number> {
  if (olderThanMs === null) return 0;
  let [runs, after]: [number, DueRun | undefined] = [0, undefined];
  do {
    const page = await retention.listDue({ ...group, archived, olderThanMs, limit: PAGE, ...(after && { after }) });
    runs += page.length;
    after = page.length < PAGE ? undefined : page.at(-1);
  } while (after !== undefined && runs < MOST);
  return runs;
}
