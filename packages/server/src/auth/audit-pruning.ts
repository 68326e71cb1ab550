/** Removes audit entries by age, at the start and every hour. Several servers can do so at once. */
import { policyFor, type StateStore } from "@runledger/contracts";

const DAY_MS = 24 * 60 * 60 * 1000;
const EVERY_MS = 60 * 60 * 1000;
export const DEFAULT_AUDIT_DAYS = 365;

/** Returns a function that stops it. A retention policy for the audit log replaces `days`. */
export function startPruning(
  store: Required<Pick<StateStore, "audit" | "retention">>,
  days: number | null,
  onError: (error: unknown) => void,
): () => Promise<void> {
  if (days === null) return async () => {};
  let pruned = Promise.resolve();
  const prune = (): void => {
    pruned = pruneUnlessPolicy(store, days).catch(onError);
  };
  prune();
  const timer = setInterval(prune, EVERY_MS).unref();
  return () => (clearInterval(timer), pruned);
}

async function pruneUnlessPolicy(
  { audit, retention }: Parameters<typeof startPruning>[0],
  days: number,
): Promise<void> {
  if (policyFor(await retention.listPolicies(), "audit") !== undefined) return;
  await audit.pruneAudit({ olderThanMs: days * DAY_MS });
}
