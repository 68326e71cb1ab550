import {
  checkIdentifier,
  EVERY,
  InputError,
  retentionKinds,
  type RetentionKind,
  type RetentionPolicy,
  type RetentionStore,
  type RetentionTarget,
} from "@runledger/contracts";
import { checkWhole } from "./check-arguments.js";
import { after, type AssertOpen } from "./checked-ports.js";

/** Longer names are shortened in the index that retention reads. */
const LONGEST_WORKFLOW = 240;
const OF_ALL_TENANTS: ReadonlySet<RetentionKind> = new Set(["feed", "audit"]);

export function checkedRetention(retention: RetentionStore, open: AssertOpen): RetentionStore {
  const target = (wanted: RetentionTarget) => [open, () => checkTarget(wanted)];
  const run = (runId: string) => [open, () => checkIdentifier("runId", runId)];
  const limited = (limit = 1) => [open, () => checkWhole("limit", limit, 1)];
  return {
    setPolicy: (policy) => after([...target(policy), () => checkPolicy(policy)], () => retention.setPolicy(policy)),
    removePolicy: (wanted) => after(target(wanted), () => retention.removePolicy(wanted)),
    listPolicies: () => after([open], () => retention.listPolicies()),
    listGroups: (params = {}) => after(limited(params.limit), () => retention.listGroups(params)),
    listDue: (params) =>
      after([...limited(params.limit), () => checkWhole("olderThanMs", params.olderThanMs, 0)], () =>
        retention.listDue(params),
      ),
    holdRun: (runId) => after(run(runId), () => retention.holdRun(runId)),
    deleteRun: (runId) => after(run(runId), () => retention.deleteRun(runId)),
    sweepDeleted: () => after([open], () => retention.sweepDeleted()),
    purge: (params = {}) => after(limited(params.limit), () => retention.purge(params)),
  };
}

function checkTarget({ kind, tenantId, workflowId }: RetentionTarget): void {
  if (!retentionKinds.includes(kind)) throw invalid("kind", `must be one of ${retentionKinds.join(", ")}.`);
  if (tenantId !== EVERY) checkIdentifier("tenantId", tenantId);
  if (workflowId !== EVERY) checkIdentifier("workflowId", workflowId);
  if (OF_ALL_TENANTS.has(kind) && tenantId !== EVERY) throw invalid("tenantId", `must be * for ${kind}.`);
  if (kind !== "runs" && kind !== "artifacts" && workflowId !== EVERY)
    throw invalid("workflowId", `must be * for ${kind}.`);
  if (encodeURIComponent(workflowId).replaceAll(/%../g, "_").length > LONGEST_WORKFLOW)
    throw invalid("workflowId", `must have at most ${LONGEST_WORKFLOW} bytes.`);
}

function checkPolicy({ kind, archiveAfterMs, deleteAfterMs }: RetentionPolicy): void {
  if (archiveAfterMs !== null) checkWhole("archiveAfterMs", archiveAfterMs, 0);
  if (deleteAfterMs !== null) checkWhole("deleteAfterMs", deleteAfterMs, 0);
  if (kind !== "runs" && archiveAfterMs !== null)
    throw invalid("archiveAfterMs", "applies only to runs. Set it to null.");
  if (archiveAfterMs !== null && deleteAfterMs !== null && deleteAfterMs < archiveAfterMs)
    throw invalid("deleteAfterMs", "must not be shorter than archiveAfterMs, because runs are archived first.");
}

function invalid(field: string, message: string): InputError {
  return new InputError("OPTION_INVALID", field, message);
}
