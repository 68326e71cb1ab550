/** Turns a failed attempt into the state that is saved. */
import type { ClaimedDelivery, DeliveryFailure, DeliveryOutcome } from "@runledger/contracts";
import { busDelay, eventDelay } from "./backoff.js";
import { BusUnavailableError } from "./event-bus.js";

const MAX_MESSAGE = 500;

export function outcomeOf(claimed: ClaimedDelivery, deliveredSeq: number): DeliveryOutcome {
  const { number, runId, token } = claimed;
  return { number, runId, token, deliveredSeq };
}

interface Failing {
  readonly claimed: ClaimedDelivery;
  readonly error: unknown;
  readonly maxAttempts: number;
  /** `true` if earlier events of this attempt were accepted. The failed event is then a new one. */
  readonly hasProgress: boolean;
  readonly random: () => number;
}

/**
 * An event that is refused counts its attempts and waits alone. If the bus is unavailable, the whole subscription waits, and
 * the attempt counts only if the bus accepted other events meanwhile: then the event itself may be the cause.
 */
export function failureOf({ claimed, error, maxAttempts, hasProgress, random }: Failing): DeliveryFailure {
  const message = messageOf(error);
  const before = hasProgress ? 0 : claimed.attempts;
  const isDown = error instanceof BusUnavailableError;
  const attempts = isDown && !claimed.othersDelivered ? before : before + 1;
  const own = { message, attempts, retryInMs: eventDelay(attempts, random), isDead: attempts >= maxAttempts };
  if (!isDown) return own;
  const failures = (hasProgress ? 0 : claimed.failures) + 1;
  return { ...own, bus: { failures, retryInMs: Math.max(error.retryAfterMs, busDelay(failures, random)) } };
}

export function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return Buffer.from(text.replaceAll("\u0000", "").slice(0, MAX_MESSAGE)).toString(); // stores keep no lone surrogates
}
