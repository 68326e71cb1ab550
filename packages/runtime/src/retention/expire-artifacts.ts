/** Applies the policies on artifacts to archived runs, one run after the other (A8). */
import {
  artifactIdOf,
  type ArtifactExpiry,
  type FullStateStore,
  type RetentionPolicy,
  type StoredArtifact,
} from "@runledger/contracts";
import { artifactPort } from "../artifacts/artifact-port.js";
import { expiryOf, rulesFor } from "../artifacts/artifact-expiry.js";

const RUNS = 100;
/** Artifacts of one transaction. */
const ARTIFACTS = 500;

export interface ExpireParts {
  readonly store: FullStateStore;
  readonly policies: readonly RetentionPolicy[];
  readonly mayContinue: () => boolean | Promise<boolean>;
  /** Called after each run that had due artifacts. `reason` is set if they were kept. */
  readonly onRun: (outcome: { readonly expired: number; readonly reason?: string }) => Promise<void>;
}

/** Expires the due artifacts of a tenant. Does nothing if the store cannot or no policy applies. */
export async function expireTenant(parts: ExpireParts, tenantId: string): Promise<void> {
  const { store, policies, mayContinue } = parts;
  const rules = rulesFor(policies, tenantId);
  if (store.expiry === undefined || rules === null) return;
  for (;;) {
    const runs = await store.expiry.listToExpire({ tenantId, rules, limit: RUNS });
    for (const runId of runs) {
      if (!(await mayContinue())) return;
      await expireRun(parts, store.expiry, { tenantId, rules, runId });
    }
    if (runs.length < RUNS) return;
  }
}

interface ExpiringRun {
  readonly tenantId: string;
  readonly rules: string;
  readonly runId: string;
}

async function expireRun(
  { store, policies, onRun }: ExpireParts,
  expiry: ArtifactExpiry,
  { tenantId, rules, runId }: ExpiringRun,
): Promise<void> {
  const now = Date.now();
  const dated = (await artifactsOf(store, runId))
    .filter(({ expiredAt }) => expiredAt === undefined)
    .map((artifact) => ({ artifact, at: expiryOf(policies, tenantId, artifact) ?? Infinity }));
  const due = dated.filter(({ at }) => at <= now).map(({ artifact }) => artifact);
  const nextAt = Math.min(Infinity, ...dated.map(({ at }) => at).filter((at) => at > now));
  const nextInMs = nextAt === Infinity ? null : nextAt - now;
  for (let from = 0; from === 0 || from < due.length; from += ARTIFACTS) {
    const isLast = from + ARTIFACTS >= due.length;
    const artifacts = due.slice(from, from + ARTIFACTS);
    const outcome = await expiry.expireArtifacts({ runId, rules, nextInMs: isLast ? nextInMs : 0, artifacts });
    if (artifacts.length > 0) await onRun(outcome);
    if ("reason" in outcome) return;
  }
}

async function artifactsOf(store: FullStateStore, runId: string): Promise<StoredArtifact[]> {
  const port = artifactPort(() => store.artifacts);
  const found: StoredArtifact[] = [];
  for (let afterId: string | undefined; ;) {
    const page = await port.list({ runId, limit: ARTIFACTS, ...(afterId !== undefined && { afterId }) });
    found.push(...page);
    if (page.length < ARTIFACTS) return found;
    afterId = artifactIdOf(page.at(-1)!.uri) ?? undefined;
  }
}
