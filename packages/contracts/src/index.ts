export * from "./access.js";
export * from "./alerts.js";
export * from "./archive.js";
export * from "./artifact.js";
export * from "./artifact-expiry.js";
export * from "./artifact-port.js";
export * from "./artifacts.js";
export * from "./audit-chain.js";
export * from "./audit.js";
export * from "./authorization.js";
export { readArtifactUrl, type BucketUrl } from "./bucket-url.js";
export * from "./capabilities.js";
export * from "./change-feed.js";
export { checkArtifactChunk, checkArtifactUri } from "./check-artifact.js";
export {
  checkEvent,
  checkEventData,
  isSignal,
  MAX_EVENT_BYTES,
  MAX_SIGNAL_BYTES,
  type CheckedEvent,
} from "./check-event.js";
export { checkedJson } from "./check-json.js";
export * from "./checkpoints.js";
export { CONTRACT_VERSION } from "./contract-version.js";
export * from "./copies.js";
export * from "./check-datasets.js";
export * from "./dataset-index.js";
export * from "./datasets.js";
export * from "./derived-data.js";
export * from "./erasure.js";
export * from "./errors/append-errors.js";
export * from "./errors/artifact-errors.js";
export * from "./errors/codes.js";
export * from "./errors/encryption-errors.js";
export * from "./errors/families.js";
export * from "./errors/log-gap-error.js";
export * from "./errors/plan-error.js";
export * from "./errors/queue-full-error.js";
export * from "./errors/rate-limit-error.js";
export * from "./event-data.js";
export * from "./event-log.js";
export * from "./event.js";
export { idempotencyKey, sha256Hex, type KeyParts } from "./idempotency-key.js";
export { isVisibleTo, type Visibility } from "./visibility.js";
export { cappedInstant, storableInstant } from "./instant.js";
export { checkIdentifier, checkStepId, DEFAULT_TENANT, RUN_LEVEL } from "./identifiers.js";
export * from "./json.js";
export * from "./key-management.js";
export * from "./keyframes.js";
export * from "./leases.js";
export * from "./limits.js";
export type * from "./locks.js";
export { newEvent, type NewEventParts } from "./new-event.js";
export { newId } from "./new-id.js";
export { omitUndefined, type WithoutUndefined } from "./omit-undefined.js";
export { objectParts } from "./object-parts.js";
export * from "./object-storage.js";
export * from "./outbox.js";
export * from "./partitions.js";
export * from "./payloads.js";
export * from "./plan.js";
export * from "./plans.js";
export * from "./read-event.js";
export * from "./retention.js";
export * from "./run-index.js";
export * from "./queue-facts.js";
export * from "./run-queue.js";
export * from "./run-state-store.js";
export { MAX_NAMED_STEPS } from "./step-ranges.js";
export * from "./schedules.js";
export * from "./triggers.js";
export * from "./secrets.js";
export * from "./settling.js";
export * from "./snapshot-cache.js";
export * from "./snapshot-store.js";
export * from "./snapshot.js";
export * from "./state-store.js";
export * from "./workers.js";
