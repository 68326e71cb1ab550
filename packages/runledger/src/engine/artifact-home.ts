import { DEFAULT_TENANT, type Artifacts, type NewArtifact } from "@runledger/contracts";
import type { RunState } from "@runledger/core";
import type { RunFacts } from "./run-facts.js";
import { FatalStepError } from "./step-errors.js";

/** Where the artifacts of one attempt go. */
export interface ArtifactHome {
  readonly artifacts: () => Artifacts;
  readonly about: Omit<NewArtifact, "uri" | "kind">;
  /** Asks the store until it answers. */
  readonly insist: <T>(action: () => Promise<T>) => Promise<T>;
}

/** The store, seen as the run's tenant: a reference to somebody else's artifact leads nowhere. */
export function artifactHome(
  { store, runId }: RunFacts,
  state: RunState,
  about: { readonly stepId: string; readonly attempt: number },
  ask: ArtifactHome["insist"],
): ArtifactHome {
  const artifacts = (): Artifacts => {
    const home = store.forTenant(state.details.tenantId ?? DEFAULT_TENANT).artifacts;
    if (home === undefined) throw new FatalStepError("NO_ARTIFACTS", "This store has no home for artifacts.");
    return home;
  };
  return { artifacts, about: { runId, ...about }, insist: ask };
}
