/**
 * Why a run does not run (O-23): what the queue says of it, and what its log does. Every reason is given that holds now;
 * none means that a worker takes it with its next claim.
 */
import type { LimitTarget, LimitUse, QueueEntry, QueueFacts } from "@runledger/contracts";

export type WaitReason =
  | { readonly kind: "delayed"; readonly until: string }
  | { readonly kind: "paused" }
  | { readonly kind: "approval" }
  /** `until`: when it gives up; null = never. */
  | { readonly kind: "signal"; readonly signal: string; readonly stepId: string; readonly until: string | null }
  /** A sleep, or a pause before another attempt. */
  | { readonly kind: "timer"; readonly stepId: string; readonly until: string }
  | { readonly kind: "child"; readonly stepId: string; readonly runId: string }
  | { readonly kind: "worker"; readonly message: string }
  | LimitReason
  /** So many others are served first. */
  | { readonly kind: "turn"; readonly ahead: number };

export interface LimitReason {
  readonly kind: "limit";
  readonly target: LimitTarget;
  /** `running`: as many run, or have the key, as may. `rate`: as many have begun of late. */
  readonly what: "running" | "rate";
  readonly value: number;
  /** Some of those who have what it waits for. */
  readonly holders: readonly string[];
  /** When a rate lets another one begin; null = nobody knows. */
  readonly freeAt: string | null;
}

/** What the log says. */
export interface LogStanding {
  readonly paused: boolean;
  /** What the steps of a run wait for that has begun. */
  readonly waits: readonly WaitReason[];
  /** Null = a live worker knows its version. */
  readonly noWorker: string | null;
}

export interface Explanation {
  readonly where: "running" | "answering" | "queued" | "waiting";
  readonly reasons: readonly WaitReason[];
  /** 1 = it is next; null = it is not waiting for its turn. */
  readonly position: number | null;
  /** When it should run, as fast as runs begin of late; null = nobody can tell. */
  readonly expectedAt: string | null;
}

export function explain(facts: QueueFacts, log: LogStanding): Explanation {
  const { entry, now } = facts;
  if (entry.owner !== null) return held(entry, now);
  const where = entry.startedAt === null ? "queued" : "waiting";
  const isDue = entry.dueAt !== null && entry.dueAt <= now;
  if (isDue) return { where, ...ofDue(facts, log) };
  return { where, reasons: ofResting(entry, log), position: null, expectedAt: entry.dueAt };
}

function held({ slot }: QueueEntry, now: string): Explanation {
  return { where: slot ? "running" : "answering", reasons: [], position: null, expectedAt: slot ? now : null };
}

function ofResting({ startedAt, dueAt }: QueueEntry, { paused, waits }: LogStanding): readonly WaitReason[] {
  if (startedAt === null) return [{ kind: "delayed", until: dueAt! }];
  return paused ? [{ kind: "paused" }, ...waits] : waits;
}

function ofDue(facts: QueueFacts, { noWorker }: LogStanding): Omit<Explanation, "where"> {
  const { entry, ahead, limits } = facts;
  const full = limits.flatMap((use) => fullness(use, entry.startedAt === null));
  const reasons: WaitReason[] = [
    ...(noWorker === null ? [] : [{ kind: "worker", message: noWorker } as const]),
    ...full,
    ...(ahead === 0 ? [] : [{ kind: "turn", ahead } as const]),
  ];
  return { reasons, position: ahead + 1, expectedAt: noWorker === null ? expectedAt(facts, full) : null };
}

/** Who has begun has its key, and no rate counts it again. */
function fullness({ target, limit, running, holders, rateFreeAt }: LimitUse, begins: boolean): readonly LimitReason[] {
  if (!begins && target.scope === "concurrencyKey") return [];
  const reason = { kind: "limit", target, holders } as const;
  const slots = limit.maxRunning !== null && running >= limit.maxRunning;
  return [
    ...(slots ? [{ ...reason, what: "running", value: limit.maxRunning, freeAt: null } as const] : []),
    ...(begins && limit.rate !== null && rateFreeAt !== null
      ? [{ ...reason, what: "rate", value: limit.rate.starts, holders: [], freeAt: rateFreeAt } as const]
      : []),
  ];
}

/** At the pace of the slowest limit in its way; a rate says its time itself. */
function expectedAt({ now, ahead, limits, startsPerSecond }: QueueFacts, full: readonly LimitReason[]): string | null {
  const rated = full.flatMap(({ freeAt }) => freeAt ?? []);
  const slots = full.filter(({ what }) => what === "running");
  if (ahead === 0 && slots.length === 0) return latest([now, ...rated]);
  const paces = slots.map(({ target }) => limits.find((use) => use.target === target)!.startsPerSecond);
  const pace = [startsPerSecond, ...paces].reduce((slowest, each) =>
    slowest === null || each === null ? null : Math.min(slowest, each),
  );
  if (pace === null || pace === 0) return null;
  const turn = Date.parse(now) + ((ahead + 1) / pace) * 1000;
  return latest([new Date(turn).toISOString(), ...rated]);
}

function latest(times: readonly string[]): string {
  return times.reduce((a, b) => (a > b ? a : b));
}
