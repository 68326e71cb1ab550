/** The faults of workers and their server, drawn from a seed and dealt in order. */
import type { AppendOptions, NewEvent } from "@runledger/contracts";
import type { StoreCall } from "@runledger/runtime/testing/intercept-store";
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
/** In the middle of a step: before its effect, and after its effect but before it is recorded. */
const STEP_POINTS = ["step starts", "step is done"] as const;
export const POINTS = [...CALL_POINTS, ...STEP_POINTS];
export type Point = (typeof CALL_POINTS)[number] | (typeof STEP_POINTS)[number];
type Moment = "before" | "during" | "after";

export interface WorkerFault {
  readonly signal: "SIGKILL" | "SIGSTOP";
  /** `null` for a fault at any time, from outside. */
  readonly at: { readonly point: Point; readonly moment: Moment; readonly nth: number } | null;
  /** Delay after the worker's start for faults from outside; otherwise the timeout. */
  readonly afterMs: number;
  /** The fault of a worker that was suspended and resumes. */
  readonly then: "SIGTERM" | "SIGKILL";
  readonly thenAfterMs: number;
}

/** A fault of a server that all workers use. `outage`: for a while, the workers cannot reach the store. */
export type Strike = "postmaster" | "backend" | "failover" | "temporal" | "outage";
export type PlannedFault = WorkerFault | { readonly signal: Strike };

/** How many faults of each kind a round has. `named` ones hit a worker at a point that the seed draws. */
export interface FaultCounts {
  readonly kills: { readonly named: number; readonly anyTime: number };
  readonly stops: { readonly named: number; readonly anyTime: number };
  readonly server: Readonly<Partial<Record<Strike, number>>>;
}

/** Fifty faults. The named ones hit every place once. */
export const EVERY_PLACE: FaultCounts = {
  kills: { named: 20, anyTime: 8 },
  stops: { named: 12, anyTime: 4 },
  server: { postmaster: 4, backend: 2 },
};

/** How often a worker passes the point before the fault. */
const MOST_PASSES = 4;
const PATIENCE_MS = 2500;

export function planFaults(seed: number, { kills, stops, server }: FaultCounts): PlannedFault[] {
  const draw = random(seed);
  const others = shuffled(draw, everyPlace()).slice(0, kills.named + stops.named - 1);
  const places = [STALE, ...others]; // dealt from the end; the last one is a stop
  const named = (signal: WorkerFault["signal"]): PlannedFault => {
    const place = places.pop()!;
    return workerFault(draw, signal, { ...place, nth: draw.between(1, MOST_PASSES) });
  };
  return shuffled(draw, [
    ...times(kills.named, () => named("SIGKILL")),
    ...times(stops.named, () => named("SIGSTOP")),
    ...times(kills.anyTime, () => workerFault(draw, "SIGKILL", null)),
    ...times(stops.anyTime, () => workerFault(draw, "SIGSTOP", null)),
    ...Object.entries(server).flatMap(([signal, count]) => times(count, () => ({ signal: signal as Strike }))),
  ]);
}

/** A stop at every named point, with a failover in the middle. */
export function planStops(seed: number): PlannedFault[] {
  const draw = random(seed);
  const places = shuffled(draw, [STALE, ...everyPlace()]);
  const stops: PlannedFault[] = places.map((place) => ({
    ...workerFault(draw, "SIGSTOP", { ...place, nth: 1 }),
    afterMs: 8 * PATIENCE_MS, // few runs get to some of the points
  }));
  return stops.toSpliced(stops.length >> 1, 0, { signal: "failover" });
}

interface Place {
  readonly point: Point;
  readonly moment: Moment;
}

/** A worker suspended here past its lease resumes and sends appends that must be rejected. */
const STALE: Place = { point: "end of a step", moment: "before" };

function everyPlace(): Place[] {
  const moments = ["before", "during", "after"] as const;
  const calls = CALL_POINTS.flatMap((point) => moments.map((moment) => ({ point, moment })));
  const steps = STEP_POINTS.map((point) => ({ point, moment: "before" as const }));
  return [...calls, ...steps].filter(({ point, moment }) => point !== STALE.point || moment !== STALE.moment);
}

function workerFault(draw: Random, signal: WorkerFault["signal"], at: WorkerFault["at"]): WorkerFault {
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

const STRIKES: Readonly<Record<Strike, string>> = {
  postmaster: "postmaster kill -9",
  backend: "backend kill -9",
  failover: "failover",
  temporal: "Temporal server kill -9",
  outage: "store unavailable",
};

export function nameOf(fault: PlannedFault): string {
  if (!("at" in fault)) return STRIKES[fault.signal];
  const what = fault.signal === "SIGKILL" ? "kill -9" : "stop";
  return fault.at === null ? `${what} at any time` : `${what} ${fault.at.moment} ${fault.at.point}`;
}

const ENDS = new Set(["RunCompleted", "RunFailed", "RunCancelled"]);

/** `null` if no fault applies to this call. */
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
  if (fence === undefined) return null; // a signal to a child
  const types = events.map(({ eventType }) => eventType);
  if (types.includes("RunTakenOver")) return "take-over";
  if (types.some((type) => ENDS.has(type))) return "end of a run";
  if (types.some((type) => type.startsWith("Step") && type !== "StepStarted")) return "end of a step";
  return types.includes("StepStarted") ? "start of a step" : null;
}
