import type {
  DatasetIndex,
  DatasetName,
  DatasetRecord,
  DatasetSummary,
  DatasetWrite,
  LastUse,
  TenantDataset,
} from "@runledger/contracts";
import { compareIds } from "./heads.js";
import type { Tables } from "./tables.js";

export interface DatasetTables {
  /** By tenant, dataset, access and step of a workflow. */
  readonly uses: Map<string, LastUse & { readonly tenantId: string }>;
  /** By tenant, dataset and attempt, in the order of recording. */
  readonly writes: Map<string, DatasetWrite & { readonly tenantId: string; readonly taken: Set<string> }>;
}

const MAX_USES = 1000;
const MAX_UNTAKEN = 100;

const compareNames = (a: DatasetName, b: DatasetName): number =>
  compareIds(a.namespace, b.namespace) || compareIds(a.name, b.name);
const compareTimes = (a: LastUse, b: LastUse): number => compareIds(a.at, b.at);
const isOf = (dataset: TenantDataset) => (each: TenantDataset) =>
  each.tenantId === dataset.tenantId && compareNames(each, dataset) === 0;

export function datasets(tables: Tables): DatasetIndex {
  const { uses, writes } = tables.datasets;
  const usesWhere = (selects: (use: LastUse & { readonly tenantId: string }) => boolean): LastUse[] =>
    [...uses.values()].filter(selects).map(withoutTenant);
  const writesOf = (dataset: TenantDataset) => [...writes.values()].filter(isOf(dataset));
  return {
    recordDatasets: async (records) => {
      for (const record of records) recordOne(tables, structuredClone(record));
    },
    listDatasets: async ({ tenantId, text = "", after, limit = 100 }) => {
      const found = usesWhere(
        (use) => use.tenantId === tenantId && use.name.toLowerCase().includes(text.toLowerCase()),
      );
      return summariesOf(found, after).slice(0, limit);
    },
    usesOf: async (dataset) =>
      usesWhere(isOf(dataset))
        .sort((a, b) => compareTimes(b, a))
        .slice(0, MAX_USES),
    usesBySteps: async ({ tenantId, steps }) => {
      const wanted = new Set(steps.map(({ planId, stepId }) => JSON.stringify([planId, stepId])));
      const isWanted = ({ planId, stepId }: LastUse): boolean => wanted.has(JSON.stringify([planId, stepId]));
      const found = usesWhere((use) => use.tenantId === tenantId && isWanted(use));
      return found.sort(compareNames).slice(0, MAX_USES);
    },
    listWrites: async ({ limit = 20, ...dataset }) =>
      writesOf(dataset)
        .sort((a, b) => compareTimes(b, a))
        .slice(0, limit)
        .map(withoutTaken),
    untakenWrites: async ({ triggerId, recordedFrom, ...dataset }) =>
      writesOf(dataset)
        .filter(({ taken, recordedAt }) => !taken.has(triggerId) && recordedAt >= recordedFrom)
        .slice(0, MAX_UNTAKEN)
        .map(withoutTaken),
    takeWrite: async ({ triggerId, ...write }) => void writes.get(writeKey(write))?.taken.add(triggerId),
  };
}

function recordOne(tables: Tables, record: DatasetRecord): void {
  const tenantId = tables.runs.get(record.runId)?.tenantId;
  if (tenantId === undefined) return;
  const { uses, writes } = tables.datasets;
  const { namespace, name, access, planId, stepId } = record;
  const key = JSON.stringify([tenantId, namespace, name, access, planId, stepId]);
  const last = uses.get(key);
  if (last === undefined || last.at <= record.at) uses.set(key, { ...record, tenantId });
  if (access === "read") return;
  const write = { ...record, tenantId };
  if (writes.has(writeKey(write))) return;
  writes.set(writeKey(write), { ...write, recordedAt: new Date(tables.now()).toISOString(), taken: new Set() });
}

function writeKey({
  tenantId,
  namespace,
  name,
  runId,
  stepId,
  attempt,
}: TenantDataset & Pick<DatasetRecord, "runId" | "stepId" | "attempt">) {
  return JSON.stringify([tenantId, namespace, name, runId, stepId, attempt]);
}

function summariesOf(uses: readonly LastUse[], after: DatasetName | undefined): DatasetSummary[] {
  const found = new Map<string, DatasetSummary>();
  for (const use of [...uses].sort(compareTimes)) {
    const { namespace, name } = use;
    const key = JSON.stringify([namespace, name]);
    const lastWrite = use.access === "write" ? use : (found.get(key)?.lastWrite ?? null);
    found.set(key, { namespace, name, lastWrite });
  }
  const isLater = (each: DatasetName): boolean => after === undefined || compareNames(each, after) > 0;
  return [...found.values()].filter(isLater).sort(compareNames);
}

function withoutTenant({ tenantId: _, ...use }: LastUse & { readonly tenantId: string }): LastUse {
  return use;
}

function withoutTaken({
  tenantId: _,
  taken: __,
  ...write
}: DatasetWrite & { readonly tenantId: string; readonly taken: unknown }): DatasetWrite {
  return write;
}

/** Removes a deleted run from the index. The steps that used a dataset stay known. */
export function forgetDatasetsOf({ datasets: { uses, writes } }: Tables, runId: string): void {
  for (const [key, use] of uses) if (use.runId === runId) uses.set(key, { ...use, runId: null });
  for (const [key, write] of writes) if (write.runId === runId) writes.delete(key);
}
