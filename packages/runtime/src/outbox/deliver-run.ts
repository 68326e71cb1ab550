/** Publishes the new events of one run to one subscription, in order. */
import {
  LogGapError,
  type CanonicalEngineEvent,
  type ClaimedDelivery,
  type DeliveryOutcome,
  type LogGap,
} from "@runledger/contracts";
import { beforeGap } from "@runledger/core";
import { toCloudEvent } from "./cloud-event.js";
import { publishInTime } from "./event-bus.js";
import { selectsEvent, selectsRun } from "./filter.js";
import type { OpenBus } from "./open-buses.js";
import { failureOf, outcomeOf } from "./outcomes.js";

/** Delay before a log with a gap that may still fill is read again. */
const GAP_MS = 1000;

export interface Delivering {
  readonly claimed: ClaimedDelivery;
  /** The events above the watermark, in order. */
  readonly events: readonly CanonicalEngineEvent[];
  /** `true` if there may be more. */
  readonly isFull: boolean;
  /** Missing numbers up to here will never be filled (P10). */
  readonly settledSeq: number;
  /** `true` if a gap is not a fault: it fills, or is settled (P10). */
  readonly mayFill?: boolean;
  readonly open: OpenBus;
  /** Returns `false` once the claim is about to end. */
  readonly mayContinue: () => boolean;
  /** Time that one message may take. */
  readonly publishMs: number;
  readonly random: () => number;
  readonly onPublished: (events: number) => void | Promise<void>;
}

export interface Delivered {
  readonly outcome: DeliveryOutcome;
  /** `true` if the log of the run is damaged. */
  readonly isUnreadable?: boolean;
}

export async function deliverRun(delivering: Delivering): Promise<Delivered> {
  const { claimed, open, random } = delivering;
  const { events, gap } = readable(delivering);
  const { filter, maxAttempts } = open.subscription.definition;
  if (claimed.deliveredSeq === 0 && events[0] !== undefined && !selectsRun(filter, events[0]))
    return { outcome: { ...outcomeOf(claimed, events.at(-1)!.runSeq), isExcluded: true } };
  const selected = events.filter((event) => selectsEvent(filter, open.subscription.startsAt, event));
  const progress = { seq: claimed.deliveredSeq, hasPublished: false, batchSize: 0 };
  try {
    const isAll = await publishAll(delivering, selected, progress);
    if (isAll) progress.seq = events.at(-1)?.runSeq ?? progress.seq;
    if (isAll && gap !== null && delivering.mayFill === true) return waitForGap(claimed, progress, gap);
    if (isAll && gap !== null) throw new LogGapError(claimed.runId, gap);
    return { outcome: { ...outcomeOf(claimed, progress.seq), isAccepted: progress.hasPublished } };
  } catch (error) {
    const { seq, hasPublished, batchSize } = progress;
    const limit = batchSize > 1 ? Infinity : maxAttempts; // the event at fault is found one by one
    const failure = failureOf({ claimed, error, maxAttempts: limit, hasProgress: hasPublished, random });
    return {
      outcome: { ...outcomeOf(claimed, seq), isAccepted: hasPublished, failure },
      isUnreadable: error instanceof LogGapError,
    };
  }
}

/** Tries again soon, without counting an attempt. */
function waitForGap(claimed: ClaimedDelivery, { seq, hasPublished }: Progress, gap: LogGap): Delivered {
  const { message } = new LogGapError(claimed.runId, gap);
  const failure = { message, attempts: hasPublished ? 0 : claimed.attempts, retryInMs: GAP_MS };
  return { outcome: { ...outcomeOf(claimed, seq), isAccepted: hasPublished, failure } };
}

/** The events up to the first gap (F6). A log that ends before its head has lost its last events. */
function readable({ claimed, events, isFull, settledSeq }: Delivering) {
  const prefix = beforeGap(claimed.deliveredSeq, events, settledSeq);
  const last = prefix.events.at(-1)?.runSeq ?? claimed.deliveredSeq;
  if (prefix.gap !== null || isFull || last >= claimed.headSeq || settledSeq >= claimed.headSeq) return prefix;
  return { events: prefix.events, gap: { from: last + 1, to: claimed.headSeq } };
}

interface Progress {
  /** Everything up to here is published or not selected. */
  seq: number;
  hasPublished: boolean;
  /** Events of the last message. */
  batchSize: number;
}

/** Returns `false` if the claim was about to end before everything was published. */
async function publishAll(
  delivering: Delivering,
  selected: readonly CanonicalEngineEvent[],
  progress: Progress,
): Promise<boolean> {
  const { claimed, open, mayContinue, publishMs, onPublished } = delivering;
  const { tenantId, subscriptionId, runId, number: subscriptionNumber } = claimed;
  for (let at = 0; at < selected.length;) {
    if (!mayContinue()) return false;
    const isRetry = claimed.attempts > 0 && !progress.hasPublished;
    const size = isRetry ? 1 : (open.bus.batchSize ?? 1); // only one event of a refused batch is at fault
    const batch = selected.slice(at, at + size);
    progress.seq = batch[0]!.runSeq - 1;
    progress.batchSize = batch.length;
    const events = batch.map((event) => toCloudEvent(event, tenantId));
    const message = { tenantId, subscriptionId, subscriptionNumber, runId, events };
    await publishInTime(open.bus, message, publishMs);
    await onPublished(events.length);
    progress.seq = batch.at(-1)!.runSeq;
    progress.hasPublished = true;
    at += batch.length;
  }
  return true;
}
