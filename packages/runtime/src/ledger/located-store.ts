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
  const expired = async (runId: string) => (await store.expiry?.listExpired({ runId })) ?? [];
  const close = async (): Promise<void> => {
    storage.close();
    await store.close();
  };
  return override(store, {
    close,
    [Symbol.asyncDispose]: close,
    artifacts: placed(store, store.artifacts, storage, expired),
    forTenant: (tenantId) => {
      const ofTenant = store.forTenant(tenantId);
      return override(ofTenant, {
        artifacts: placed(ofTenant, ofTenant.artifacts ?? store.artifacts, storage, expired),
      });
    },
    retention: override(store.retention, {
      deleteRun: async (runId) => objects.removeWith(runId, () => store.retention.deleteRun(runId)),
      sweepDeleted: async () =>
        (await store.retention.sweepDeleted()) ||
        (await sweepExpired(store.expiry, storage)) ||
        (await objects.sweep()),
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

type Expired = ConstructorParameters<typeof PlacedArtifacts>[2];

function placed(
  store: Pick<TenantStore, "fetchHeads">,
  artifacts: Artifacts,
  storage: ObjectStorage,
  expired: Expired,
): Artifacts {
  const isVisible = async (runId: string): Promise<boolean> => (await store.fetchHeads([runId])).length > 0;
  return override(artifacts, { place: new PlacedArtifacts(storage, isVisible, expired) });
}

/** Removes the objects of a page of expired artifacts (A8). Returns `false` if nothing was left. */
async function sweepExpired(expiry: FullStateStore["expiry"], storage: ObjectStorage): Promise<boolean> {
  const found = (await expiry?.listUnswept({ location: storage.url })) ?? [];
  for (const { uri } of found) await storage.remove(uri.slice(storage.url.length + 1));
  if (found.length > 0) await expiry!.markSwept({ uris: found.map(({ uri }) => uri) });
  return found.length > 0;
}

function notEncrypted({ url }: ObjectStorage): InputError {
  const message = `Artifacts in ${url} would not be encrypted, and the store is. Leave artifacts in the store, or use a store without encryption keys and let the bucket encrypt.`;
  return new InputError("OPTION_INVALID", "artifacts", message);
}
