/**
 * Encrypts payloads before they reach a store, and decrypts what the store returns. Structure stays readable: types, ids,
 * numbers, keys, times and labels.
 */
import { omitUndefined, type StateStore, type TenantStore } from "@runledger/contracts";
import { EncryptedLog, type LogParts } from "./encrypted-log.js";
import {
  encryptedArtifacts,
  encryptedCheckpoints,
  encryptedCopies,
  encryptedFeed,
  encryptedKeyframes,
  encryptedPlans,
  encryptedQueue,
  encryptedSchedules,
} from "./encrypted-ports.js";
import { encryptedDerived, encryptedIndex, encryptedSnapshots } from "./encrypted-projections.js";
import { Keyring, type EncryptionOptions } from "./keyring.js";
import { override } from "./override.js";
import { RunTenants } from "./run-tenants.js";
import { Sealer } from "./sealer.js";
import { concealedView, decryptedView } from "./view.js";

/** Wraps a store. Readers of `concealed` see the structure of runs, but not their payloads. */
export async function encryptedStore<S extends StateStore>(store: S, options: EncryptionOptions): Promise<S>;
export async function encryptedStore(store: StateStore, options: EncryptionOptions): Promise<StateStore> {
  const sealer = new Sealer(await Keyring.open(options));
  const tenants = new RunTenants(store);
  const concealed = viewed(store, { sealer, tenants, view: concealedView });
  return viewed(store, { sealer, tenants, view: decryptedView(sealer) }, concealed);
}

function viewed(store: StateStore, parts: LogParts, concealed?: StateStore): StateStore {
  const log = new EncryptedLog(store, parts);
  const close = async (): Promise<void> => {
    await log.passed();
    await store.close();
  };
  const { index, snapshots, derived, feed, queue, checkpoints, keyframes, copies, artifacts, plans, schedules } = store;
  return override(store, {
    ...logMembers(log),
    close,
    [Symbol.asyncDispose]: close,
    get conflicts() {
      return log.conflicts;
    },
    snapshots: encryptedSnapshots(snapshots, parts),
    forTenant: (tenantId) => tenantView(store.forTenant(tenantId), parts),
    ...omitUndefined({
      concealed,
      index: index && encryptedIndex(index, snapshots, parts),
      derived: derived && encryptedDerived(derived, parts),
      feed: feed && encryptedFeed(feed, parts),
      queue: queue && encryptedQueue(queue, parts),
      checkpoints: checkpoints && encryptedCheckpoints(checkpoints, parts),
      keyframes: keyframes && encryptedKeyframes(keyframes, parts),
      copies: copies && encryptedCopies(copies, parts),
      artifacts: artifacts && encryptedArtifacts(artifacts, parts),
      plans: plans && encryptedPlans(plans, parts),
      schedules: schedules && encryptedSchedules(schedules, parts),
    }),
  });
}

function tenantView(store: TenantStore, parts: LogParts): TenantStore {
  const { tenantId, artifacts } = store;
  const log = new EncryptedLog(store, parts, tenantId);
  return override(store, {
    ...logMembers(log),
    get conflicts() {
      return log.conflicts;
    },
    ...omitUndefined({ artifacts: artifacts && encryptedArtifacts(artifacts, parts) }),
  });
}

/** The members of the log as own properties. */
function logMembers(log: EncryptedLog) {
  return {
    appendEvent: log.appendEvent.bind(log),
    appendEvents: log.appendEvents.bind(log),
    fetchEvents: log.fetchEvents.bind(log),
    streamEvents: log.streamEvents.bind(log),
    fetchByKeys: log.fetchByKeys.bind(log),
    getSnapshot: log.getSnapshot,
    projectSnapshot: log.projectSnapshot,
  };
}
