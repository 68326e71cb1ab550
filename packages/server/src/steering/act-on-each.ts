import { RunledgerError, RunNotFoundError, sha256Hex, type TenantStore } from "@runledger/contracts";
import type { Ledger } from "@runledger/runtime/ledger/ledger";
import { publicError } from "../http/classify-error.js";
import { actionOf, previewAction } from "./actions.js";

export interface BulkAction {
  readonly action: "pause" | "resume" | "cancel" | "retry";
  readonly runIds: readonly string[];
  readonly dryRun: boolean;
  readonly requestId: string;
  /** Name of the caller. */
  readonly by: string;
}

export interface BulkItem {
  readonly runId: string;
  readonly accepted: boolean;
  readonly reason?: string;
  readonly code?: string;
}

const CONCURRENCY = 8;

/** Performs an action on several runs. A rejection by one run does not affect the others. Returns one item per run, in order. */
export async function actOnEach(ledger: Ledger, tenant: TenantStore, bulk: BulkAction): Promise<BulkItem[]> {
  const runIds = [...new Set(bulk.runIds)];
  const own = new Set((await tenant.fetchHeads(runIds)).map(({ runId }) => runId));
  const outcomes = new Map<string, BulkItem>();
  const remaining = runIds.values();
  const work = async (): Promise<void> => {
    for (const runId of remaining)
      outcomes.set(
        runId,
        own.has(runId) ? await actOnOne(ledger, runId, bulk) : rejected(runId, new RunNotFoundError(runId)),
      );
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return runIds.map((runId) => outcomes.get(runId)!);
}

async function actOnOne(ledger: Ledger, runId: string, { action, dryRun, requestId, by }: BulkAction) {
  try {
    if (dryRun) {
      const { accepted, ...preview } = await previewAction(ledger, { runId, action, stepId: undefined, by });
      const { runsAgain: _, action: __, dryRun: ___, ...fields } = { runsAgain: [], ...preview };
      return { ...fields, runId, accepted };
    }
    await ledger.act(runId, actionOf(action, undefined), { signalId: signalFor(requestId, runId), by });
    return { runId, accepted: true };
  } catch (error) {
    if (error instanceof RunledgerError && error.family !== "retry") return rejected(runId, error);
    throw error;
  }
}

/** Derives the signal id from the request, so that a repeated call is the same action. */
function signalFor(requestId: string, runId: string): string {
  return `bulk_${sha256Hex(`${requestId}|${runId}`).slice(0, 32)}`;
}

function rejected(runId: string, error: RunledgerError): BulkItem {
  const { code, message } = publicError(error);
  return { runId, accepted: false, code, reason: message };
}
