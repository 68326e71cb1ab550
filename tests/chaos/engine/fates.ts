/** What becomes of workers and of their server: drawn from a seed, and dealt one after the other. */
import type { AppendOptions, NewEvent } from "@runledger/contracts";
import type { StoreCall } from "../../../packages/runledger/src/testing/intercept-store.js";
import { random, type Random } from "../../simulation/world/random.js";

const CALL_POINTS = [
  "claim",
  "take-over",
  "start of a step",
  "end of a step",
  "end of a run",
  "park",
  "heartbeat",
  "look",
  "resume",
  "start of a child",
] as const;
/** In the middle of a step: before it has done anything, and when it has but nobody knows. */
const STEP_POINTS = ["step begins", "step is done"] as const;
export type Point = (typeof CALL_POINTS)[number] | (typeof STEP_POINTS)[number];
type Moment = "before" | "during" | "after";

export interface WorkerFate {
  readonly signal: "SIGKILL" | "SIGSTOP";
  /** Null = at any time, from outside. */
  readonly at: { readonly point: Point; readonly moment: Moment; readonly nth: number } | null;
  /** From outside: when, after the worker began. Otherwise the patience with it. */
  readonly afterMs: number;
  /** What becomes of a worker that was stopped and goes on. */
  readonly then: "SIGTERM" | "SIGKILL";
  readonly thenAfterMs: number;
}

export type Fate = WorkerFate | { readonly signal: "postmaster" | "backend" };

const KILLS = { named: 20, anyTime: 8 };
const STOPS = { named: 12, anyTime: 4 };
const SERVER = { postmaster: 4, backend: 2 };
/** How often a worker may pass its point before it is meant. */
const MOST_PASSES = 4;
const PATIENCE_MS = 2500;

/** Fifty fates. */
export function dealFates(seed: number): Fate[] {
  const draw = random(seed);
  const places = [STALE, ...shuffled(draw, everyPlace())]; // dealt from the end: the last of them is a stop
  const named = (signal: WorkerFate["signal"]): Fate => {
    const place = places.pop()!;
    return workerFate(draw, signal, { ...place, nth: draw.between(1, MOST_PASSES) });
  };
  return shuffled(draw, [
    ...times(KILLS.named, () => named("SIGKILL")),
    ...times(STOPS.named, () => named("SIGSTOP")),
    ...times(KILLS.anyTime, () => workerFate(draw, "SIGKILL", null)),
    ...times(STOPS.anyTime, () => workerFate(draw, "SIGSTOP", null)),
    ...times(SERVER.postmaster, () => ({ signal: "postmaster" as const })),
    ...times(SERVER.backend, () => ({ signal: "backend" as const })),
  ]);
}

interface Place {
  readonly point: Point;
  readonly moment: Moment;
}

/** Stopped here past its lease, a worker wakes up and sends what must be refused. */
const STALE: Place = { point: "end of a step", moment: "before" };

function everyPlace(): Place[] {
  const moments = ["before", "during", "after"] as const;
  const calls = CALL_POINTS.flatMap((point) => moments.map((moment) => ({ point, moment })));
  const steps = STEP_POINTS.map((point) => ({ point, moment: "before" as const }));
  return [...calls, ...steps].filter(({ point, moment }) => point !== STALE.point || moment !== STALE.moment);
}

function workerFate(draw: Random, signal: WorkerFate["signal"], at: WorkerFate["at"]): WorkerFate {
  const afterMs = at === null ? draw.between(0, 600) : PATIENCE_MS;
  return { signal, at, afterMs, then: draw.pick(["SIGTERM", "SIGKILL"]), thenAfterMs: draw.between(50, 400) };
}

function times<T>(count: number, make: () => T): T[] {
  return Array.from({ length: count }, make);
}

function shuffled<T>(draw: Random, values: readonly T[]): T[] {
  const left = [...values];
  return times(values.length, () => left.splice(draw.below(left.length), 1)[0]!);
}

export function nameOf(fate: Fate): string {
  if (!("at" in fate)) return `${fate.signal} kill -9`;
  const what = fate.signal === "SIGKILL" ? "kill -9" : "stop";
  return fate.at === null ? `${what} at any time` : `${what} ${fate.at.moment} ${fate.at.point}`;
}

const ENDS = new Set(["RunCompleted", "RunFailed", "RunCancelled"]);

/** Null = nobody is interested in this call. */
export function pointOf({ name, args }: StoreCall): Point | null {
  if (name === "appendEvents") return pointOfAppend(args[0] as readonly NewEvent[], args[1] as AppendOptions);
  const points: Readonly<Record<string, Point>> = {
    "queue.claimRuns": "claim",
    "queue.parkRun": "park",
    "queue.heldRuns": "look",
    "queue.startRun": "start of a child",
    "leases.heartbeat": "heartbeat",
    "checkpoints.loadCheckpoint": "resume",
  };
  return points[name] ?? null;
}

function pointOfAppend(events: readonly NewEvent[], { fence }: AppendOptions): Point | null {
  if (fence === undefined) return null; // what it tells a child
  const types = events.map(({ eventType }) => eventType);
  if (types.includes("RunTakenOver")) return "take-over";
  if (types.some((type) => ENDS.has(type))) return "end of a run";
  if (types.some((type) => type.startsWith("Step") && type !== "StepStarted")) return "end of a step";
  return types.includes("StepStarted") ? "start of a step" : null;
}
