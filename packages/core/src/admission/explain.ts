/**
 * Explains why a run does not run, from its queue entry and its log. Lists every reason that currently holds. An
 * empty list means that a worker takes the run with its next claim.
 */
import type { LimitTarget, LimitUse, QueueEntry, QueueFacts } from "@runledger/contracts";

export type WaitReason =
  | { readonly kind: "delayed"; readonly until: string }
  | { readonly kind: "paused" }
  | { readonly kind: "approval" }
  /** `until` is the timeout of the wait, or `null` if it has none. */
  | { readonly kind: "signal"; readonly signal: string; readonly stepId: string; readonly until: string | null }
  /** A sleep, or the delay before the next attempt. */
  | { readonly kind: "timer"; readonly stepId: string; readonly until: string }
  | { readonly kind: "child"; readonly stepId: string; readonly runId: string }
  | { readonly kind: "worker"; readonly message: string }
  | LimitReason
  /** `ahead` other runs are served first. */
  | { readonly kind: "turn"; readonly ahead: number };

export interface LimitReason {
  readonly kind: "limit";
  readonly target: LimitTarget;
  /**
   * `running`: as many runs are running, or hold the key, as the limit allows. `rate`: as many have started recently.
   */
  readonly what: "running" | "rate";
  readonly value: number;
  /** Ids of some runs that hold what this run waits for. */
  readonly holders: readonly string[];
  /** The time when the rate allows another start. `null` if unknown. */
  readonly freeAt: string | null;
}

/** The facts from the run's log. */
export interface LogStanding {
  readonly paused: boolean;
  /** The reasons why steps of a started run wait. */
  readonly waits: readonly WaitReason[];
  /** `null` if a live worker can run its version. */
  readonly noWorker: string | null;
}

export interface Explanation {
  readonly where: "running" | "answering" | "queued" | "waiting";
  readonly reasons: readonly WaitReason[];
  /** 1 if the run is next. `null` if it does not wait for its turn. */
  readonly position: number | null;
  /** Estimated start at the recent start rate. `null` if no estimate is possible. */
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

/** A started run already holds its concurrency key and does not count toward a rate again. */
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

/** Estimates by the slowest limit in the way. A rate has an exact time. */
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
