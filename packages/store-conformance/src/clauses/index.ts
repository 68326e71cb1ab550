import type { Clause } from "../clause.js";
import { access } from "./access.js";
import { alerts } from "./alerts.js";
import { archive } from "./archive.js";
import { artifactExpiry } from "./artifact-expiry.js";
import { audit } from "./audit.js";
import { badEnvelopes } from "./bad-envelopes.js";
import { badIdentifiers } from "./bad-identifiers.js";
import { badPayloads } from "./bad-payloads.js";
import { badPortInput } from "./bad-port-input.js";
import { batchAtomicity } from "./batch-atomicity.js";
import { changeFeed } from "./change-feed.js";
import { checkpoints } from "./checkpoints.js";
import { closing } from "./closing.js";
import { coalescing } from "./coalescing.js";
import { concurrency } from "./concurrency.js";
import { contiguity } from "./contiguity.js";
import { copies } from "./copies.js";
import { datasets } from "./datasets.js";
import { derivedData } from "./derived-data.js";
import { erasure } from "./erasure.js";
import { eventFields } from "./event-fields.js";
import { expectedSeq } from "./expected-seq.js";
import { fencing } from "./fencing.js";
import { fetchByKey } from "./fetch-by-key.js";
import { fetchWatermark } from "./fetch-watermark.js";
import { forkedStarts } from "./forked-starts.js";
import { heads } from "./heads.js";
import { idempotency } from "./idempotency.js";
import { judgedSignals } from "./judged-signals.js";
import { keyframes } from "./keyframes.js";
import { leases } from "./leases.js";
import { limits } from "./limits.js";
import { metacharacters } from "./metacharacters.js";
import { mustExist } from "./must-exist.js";
import { ordering } from "./ordering.js";
import { outbox } from "./outbox.js";
import { parking } from "./parking.js";
import { plans } from "./plans.js";
import { retention } from "./retention.js";

import { runIndex } from "./run-index.js";
import { queueFacts } from "./queue-facts.js";
import { runQueue } from "./run-queue.js";
import { schedules } from "./schedules.js";
import { snapshots } from "./snapshots.js";
import { stream } from "./stream.js";
import { tenants } from "./tenants.js";
import { triggers } from "./triggers.js";
import { unservedPlans } from "./unserved-plans.js";
import { workerTenants } from "./worker-tenants.js";

/** The contract, clause by clause. */
export const clauses: readonly Clause[] = [
  idempotency,
  contiguity,
  ordering,
  batchAtomicity,
  expectedSeq,
  judgedSignals,
  mustExist,
  fencing,
  eventFields,
  fetchWatermark,
  stream,
  fetchByKey,
  heads,
  tenants,
  snapshots,
  runIndex,
  keyframes,
  datasets,
  derivedData,
  checkpoints,
  changeFeed,
  leases,
  runQueue,
  parking,
  limits,
  queueFacts,
  archive,
  copies,
  plans,
  schedules,
  outbox,
  retention,
  triggers,
  alerts,
  artifactExpiry,
  erasure,
  unservedPlans,
  workerTenants,
  forkedStarts,
  access,
  audit,
  coalescing,
  badIdentifiers,
  badPayloads,
  badEnvelopes,
  badPortInput,
  metacharacters,
  closing,
  concurrency,
];
