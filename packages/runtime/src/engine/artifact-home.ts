import { DEFAULT_TENANT, type Artifacts } from "@runledger/contracts";
import type { RunState } from "@runledger/core";
import type { ChunkHome } from "../artifacts/artifact-writer.js";
import type { Retry } from "../time/retry.js";
import type { RunContext } from "./run-context.js";
import { FatalStepError } from "../workflow/step-errors.js";

/** The destination of one attempt's artifacts. */
export interface ArtifactHome extends ChunkHome {
  /** `false` if the store keeps no artifacts. */
  readonly isPresent: boolean;
}

/** The store as seen by the run's tenant, so that references to other tenants' artifacts resolve to nothing. */
export function artifactHome(
  { store, runId }: RunContext,
  state: RunState,
  about: { readonly stepId: string; readonly attempt: number },
  insist: Retry,
): ArtifactHome {
  const ofTenant = store.forTenant(state.details.tenantId ?? DEFAULT_TENANT);
  const artifacts = (): Artifacts => {
    if (ofTenant.artifacts === undefined)
      throw new FatalStepError("NO_ARTIFACTS", "This store has no home for artifacts.");
    return ofTenant.artifacts;
  };
  return { artifacts, isPresent: ofTenant.artifacts !== undefined, about: { runId, ...about }, insist };
}
