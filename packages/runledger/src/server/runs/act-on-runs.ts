/** One action on many runs, each for itself: what one refuses does not keep the others from it. */
import { RunledgerError, RunNotFoundError, sha256Hex, type TenantStore } from "@runledger/contracts";
import type { Ledger } from "../../ledger/ledger.js";
import { actionOf, previewAction } from "./preview-action.js";

export interface BulkAction {
  readonly action: "pause" | "resume" | "cancel" | "retry";
  readonly runIds: readonly string[];
  readonly dryRun: boolean;
  readonly requestId: string;
  /** Who asks. */
  readonly by: string;
}

export interface BulkItem {
  readonly runId: string;
  readonly accepted: boolean;
  readonly reason?: string;
  readonly code?: string;
}

const AT_ONCE = 8;

/** In the order in which they were named, each once. */
export async function actOnRuns(ledger: Ledger, tenant: TenantStore, bulk: BulkAction): Promise<BulkItem[]> {
  const runIds = [...new Set(bulk.runIds)];
  const own = new Set((await tenant.fetchHeads(runIds)).map(({ runId }) => runId));
  const outcomes = new Map<string, BulkItem>();
  const waiting = runIds.values();
  const work = async (): Promise<void> => {
    for (const runId of waiting)
      outcomes.set(runId, own.has(runId) ? await actOnOne(ledger, runId, bulk) : refused(runId, absent(runId)));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return runIds.map((runId) => outcomes.get(runId)!);
}

async function actOnOne(ledger: Ledger, runId: string, { action, dryRun, requestId, by }: BulkAction) {
  try {
    if (dryRun) {
      const { accepted, ...known } = await previewAction(ledger.store, { runId, action, stepId: undefined });
      const { runsAgain: _, action: __, dryRun: ___, ...shown } = { runsAgain: [], ...known };
      return { ...shown, runId, accepted };
    }
    await ledger.act(runId, actionOf(action, undefined), { signalId: signalFor(requestId, runId), by });
    return { runId, accepted: true };
  } catch (error) {
    if (error instanceof RunledgerError && error.family !== "retry") return refused(runId, error);
    throw error;
  }
}

/** The same call again is the same action. */
function signalFor(requestId: string, runId: string): string {
  return `bulk_${sha256Hex(`${requestId}|${runId}`).slice(0, 32)}`;
}

function refused(runId: string, { code, message }: RunledgerError): BulkItem {
  return { runId, accepted: false, code, reason: message };
}

function absent(runId: string): RunledgerError {
  return new RunNotFoundError(runId);
}
