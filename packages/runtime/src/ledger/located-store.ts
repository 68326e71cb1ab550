/** A store whose steps write artifacts to a folder or a bucket. Runs that are deleted from the store are deleted there as well. */
import {
  InputError,
  type Artifacts,
  type FullStateStore,
  type ObjectStorage,
  type TenantStore,
} from "@runledger/contracts";
import { PlacedArtifacts } from "../artifacts/placed-artifacts.js";
import { RunObjects } from "../artifacts/run-objects.js";
import { override } from "../encryption/override.js";

/** Throws OPTION_INVALID if payloads are encrypted: only the store would be. */
export function locatedStore(store: FullStateStore, storage: ObjectStorage): FullStateStore {
  if (store.concealed !== undefined) throw notEncrypted(storage);
  const objects = new RunObjects(storage, async (runId) => (await store.fetchHeads([runId])).length > 0);
  const close = async (): Promise<void> => {
    storage.close();
    await store.close();
  };
  return override(store, {
    close,
    [Symbol.asyncDispose]: close,
    artifacts: placed(store, store.artifacts, storage),
    forTenant: (tenantId) => {
      const ofTenant = store.forTenant(tenantId);
      return override(ofTenant, { artifacts: placed(ofTenant, ofTenant.artifacts ?? store.artifacts, storage) });
    },
    retention: override(store.retention, {
      deleteRun: async (runId) => objects.removeWith(runId, () => store.retention.deleteRun(runId)),
      sweepDeleted: async () => (await store.retention.sweepDeleted()) || (await objects.sweep()),
    }),
    erasure: {
      eraseRun: async (request) => {
        await objects.has(request.runId); // a bucket that does not answer refuses the erasure before the store commits it
        const outcome = await store.erasure.eraseRun(request);
        if (outcome.erased) await objects.remove(request.runId);
        return outcome;
      },
    },
  });
}

function placed(store: Pick<TenantStore, "fetchHeads">, artifacts: Artifacts, storage: ObjectStorage): Artifacts {
  const isVisible = async (runId: string): Promise<boolean> => (await store.fetchHeads([runId])).length > 0;
  return override(artifacts, { place: new PlacedArtifacts(storage, isVisible) });
}

function notEncrypted({ url }: ObjectStorage): InputError {
  const message = `Artifacts in ${url} would not be encrypted, and the store is. Leave artifacts in the store, or use a store without encryption keys and let the bucket encrypt.`;
  return new InputError("OPTION_INVALID", "artifacts", message);
}
