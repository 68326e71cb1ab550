import { RateLimitError } from "@runledger/contracts";
import type { Subject } from "./caller-quota.js";
import type { Spent } from "./spending.js";

const SUBJECTS = { key: "This key", tenant: "The tenant", address: "This address" } as const;
const USES = { requests: "sent more requests", bytes: "read more bytes", starts: "started more runs" } as const;
const STREAM_RETRY_MS = 5000;

export function rateLimited(kind: Subject["kind"], spent: Spent, perSecond: number, waitMs: number): RateLimitError {
  const seconds = Math.ceil(waitMs / 1000);
  return new RateLimitError(
    `${SUBJECTS[kind]} ${USES[spent]} than ${perSecond.toLocaleString("en")} per second. Retry in ${seconds} s, or raise ` +
      `server.limits.${kind}.${spent}PerSecond.`,
    seconds * 1000,
  );
}

export function tooManyStreams(kind: Subject["kind"], limit: number): RateLimitError {
  return new RateLimitError(
    `${SUBJECTS[kind]} has ${limit.toLocaleString("en")} open streams, which is the limit. Close some, or raise ` +
      `server.limits.${kind}.streams.`,
    STREAM_RETRY_MS,
  );
}
