import { RunNotFoundError, type RunHead, type TenantStore } from "@runledger/contracts";

/** The run's head, if the tenant has such a run: what is read by id afterwards is the tenant's. */
export async function findRun(store: TenantStore, runId: string): Promise<RunHead> {
  const [head] = await store.fetchHeads([runId]);
  if (head === undefined) throw new RunNotFoundError(runId);
  return head;
}
