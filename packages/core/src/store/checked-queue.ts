import { checkIdentifier, InputError, storableInstant, type RunQueue, type RunStart } from "@runledger/contracts";
import { checkWhole } from "./check-arguments.js";
import { after, type AssertOpen } from "./checked-ports.js";

/** The sum of several priorities still fits into the integers of every store. */
export const MAX_PRIORITY = 1_000_000;

export function checkedQueue(queue: RunQueue, open: AssertOpen): RunQueue {
  const worker = (workerId: string) => [open, () => checkIdentifier("workerId", workerId)];
  return {
    startRun: (start) => after([open, () => checkStart(start)], () => queue.startRun(start)),
    claimRuns: (params) => {
      const tenants = () => params.tenants?.forEach((tenantId) => checkIdentifier("tenants", tenantId));
      const checks = [...worker(params.workerId), tenants, () => checkWhole("limit", params.limit, 0)];
      return after(checks, () => queue.claimRuns(params));
    },
    heldRuns: (workerId) => after(worker(workerId), () => queue.heldRuns(workerId)),
    parkRun: (params) => after([open], () => queue.parkRun(params)),
    inspectRun: (runId) => after([open, () => checkIdentifier("runId", runId)], () => queue.inspectRun(runId)),
    listQueue: (page) => {
      const { tenantId, limit = 1000 } = page;
      const tenant = () => tenantId === undefined || checkIdentifier("tenantId", tenantId);
      return after([open, tenant, () => checkWhole("limit", limit, 1)], () => queue.listQueue({ ...page, limit }));
    },
    countQueue: () => after([open], () => queue.countQueue()),
  };
}

function checkStart({ tenantId, projectId, concurrencyKey, priority, startAt }: RunStart): void {
  checkIdentifier("tenantId", tenantId);
  if (projectId !== undefined) checkIdentifier("projectId", projectId);
  if (concurrencyKey !== undefined) checkIdentifier("concurrencyKey", concurrencyKey);
  if (!Number.isInteger(priority) || Math.abs(priority) > MAX_PRIORITY)
    throw new InputError(
      "OPTION_INVALID",
      "priority",
      `must be a whole number from -${MAX_PRIORITY} to ${MAX_PRIORITY}.`,
    );
  if (startAt !== undefined && storableInstant(Date.parse(startAt)) === null)
    throw new InputError("OPTION_INVALID", "startAt", "must be a time such as 2026-11-15T08:00:00Z.");
}
