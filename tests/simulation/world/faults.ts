/**
 * The faults that can hit one store call, and where. A *point* is the purpose of the call: the place in the engine that a
 * fault can hit.
 */
import type { NewEvent } from "@runledger/contracts";
import type { StoreCall } from "@runledger/runtime/testing/intercept-store";
import type { Random } from "./random.js";

export const FAULTS = ["delayed", "failed", "ambiguous", "stalled", "crashed"] as const;
export type Fault = (typeof FAULTS)[number];

export const POINTS = [
  "claim",
  "look",
  "heartbeat",
  "park",
  "read log",
  "read outputs",
  "load checkpoint",
  "start child",
  "append take-over",
  "append start",
  "append step",
  "append status",
  "append end",
  "append signal",
] as const;
export type Point = (typeof POINTS)[number];

const BY_NAME: Readonly<Record<string, Point>> = {
  "queue.claimRuns": "claim",
  "queue.heldRuns": "look",
  "leases.heartbeat": "heartbeat",
  "queue.parkRun": "park",
  streamEvents: "read log",
  fetchEvents: "read log",
  fetchHeads: "read log",
  fetchByKeys: "read outputs",
  "checkpoints.loadCheckpoint": "load checkpoint",
  "queue.startRun": "start child",
};

const BY_EVENT: Readonly<Record<string, Point>> = {
  RunTakenOver: "append take-over",
  RunStarted: "append start",
  RunApproved: "append start",
  RunPaused: "append status",
  RunResumed: "append status",
  StepsReset: "append status",
  RunCompleted: "append end",
  RunFailed: "append end",
  RunCancelled: "append end",
  SignalAccepted: "append signal",
  SignalRejected: "append signal",
};

/** `null` if no fault hits this point. */
export function pointOf({ name, args }: StoreCall): Point | null {
  if (name !== "appendEvents") return BY_NAME[name] ?? null;
  const types = (args[0] as readonly NewEvent[]).map(({ eventType }) => BY_EVENT[eventType]);
  return types.find((point) => point !== undefined) ?? "append step";
}

/** Approximate visits per point in a seed without faults, so that rare points get faults too. */
const USUAL: Readonly<Record<Point, number>> = {
  claim: 50,
  look: 65,
  heartbeat: 60,
  park: 12,
  "read log": 60,
  "read outputs": 14,
  "load checkpoint": 30,
  "start child": 3,
  "append take-over": 8,
  "append start": 8,
  "append step": 65,
  "append status": 1,
  "append end": 7,
  "append signal": 1,
};

/** Faults per point and kind in an average seed. */
const SHARE = 0.12;

/** Multiplies the number of faults of a seed. */
const LUCK = [0, 0.5, 1, 1, 1, 2, 4];

export class FaultSource {
  readonly hits = new Map<string, number>();
  readonly #draw: Random;
  readonly #luck: number;
  #healed = false;

  constructor(draw: Random) {
    this.#draw = draw;
    this.#luck = draw.pick(LUCK);
  }

  heal(): void {
    this.#healed = true;
  }

  at(point: Point | null): Fault | null {
    if (point === null || this.#healed) return null;
    const chance = Math.min(0.5, (FAULTS.length * SHARE * this.#luck) / USUAL[point]);
    if (!this.#draw.chance(chance)) return null;
    const fault = this.#draw.pick(FAULTS);
    const name = `${fault} × ${point}`;
    this.hits.set(name, (this.hits.get(name) ?? 0) + 1);
    return fault;
  }
}
