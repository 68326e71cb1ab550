import type { DueRun, RetentionGroup, RetentionStore, RetentionTarget, RunHeader } from "@runledger/contracts";
import { isTerminal } from "@runledger/core";
import { deleteRun } from "./delete-run.js";
import { compareIds } from "./heads.js";
import { purge } from "./purge.js";
import type { Tables } from "./tables.js";

const nameOf = ({ kind, tenantId, workflowId }: RetentionTarget): string => `${kind}|${tenantId}|${workflowId}`;

const compareGroups = (a: RetentionGroup, b: RetentionGroup): number =>
  compareIds(a.tenantId, b.tenantId) || compareIds(a.workflowId, b.workflowId);

const compareDue = (a: DueRun, b: DueRun): number =>
  compareIds(a.completedAt, b.completedAt) || compareIds(a.runId, b.runId);

export function retention(tables: Tables): RetentionStore {
  const { policies, held } = tables.retention;
  return {
    setPolicy: async (policy) => void policies.set(nameOf(policy), { ...policy }),
    removePolicy: async (target) => policies.delete(nameOf(target)),
    listPolicies: async () => [...policies.values()].sort((a, b) => compareIds(nameOf(a), nameOf(b))),
    listGroups: async ({ tenantId, after, limit = 1000 } = {}) =>
      groupsOf(tables)
        .filter((group) => tenantId === undefined || group.tenantId === tenantId)
        .filter((group) => after === undefined || compareGroups(group, after) > 0)
        .slice(0, limit),
    listDue: async ({ limit = 100, ...params }) => listDue(tables, params).slice(0, limit),
    holdRun: async (runId) => void held.set(runId, tables.projections.get(runId)?.generation ?? 0),
    deleteRun: async (runId) => deleteRun(tables, runId),
    sweepDeleted: async () => false, // deleteRun removes everything
    purge: async ({ limit = 1000 } = {}) => purge(tables, limit),
  };
}

interface Finished extends RetentionGroup, DueRun {
  readonly archived: boolean;
}

function finishedRuns(tables: Tables): Finished[] {
  return [...tables.projections.values()].flatMap(({ header, generation }) => {
    const run = tables.runs.get(header.runId);
    if (run === undefined || !isTerminal(header.status) || tables.retention.held.get(run.runId) === generation)
      return [];
    const { runId, tenantId, archived } = run;
    return [{ runId, tenantId, workflowId: header.planId ?? "", completedAt: completedAtOf(header), archived }];
  });
}

function completedAtOf(header: RunHeader): string {
  return "completedAt" in header ? header.completedAt : "";
}

function groupsOf(tables: Tables): RetentionGroup[] {
  const groups = finishedRuns(tables).map(({ tenantId, workflowId }) => ({ tenantId, workflowId }));
  const sorted = groups.sort(compareGroups);
  return sorted.filter((group, index) => index === 0 || compareGroups(group, sorted[index - 1]!) > 0);
}

function listDue(tables: Tables, params: Omit<Parameters<RetentionStore["listDue"]>[0], "limit">): DueRun[] {
  const { tenantId, workflowId, archived, olderThanMs, after } = params;
  const before = new Date(tables.now() - olderThanMs).toISOString();
  return finishedRuns(tables)
    .filter((run) => run.tenantId === tenantId && run.workflowId === workflowId && run.archived === archived)
    .filter((run) => run.completedAt < before && (after === undefined || compareDue(run, after) > 0))
    .map(({ runId, completedAt }) => ({ runId, completedAt }))
    .sort(compareDue);
}
