/** Finds the time in which steps of a run worked. The rest is idle: waits, delays before a retry, approvals and pauses. */
import type { CanonicalEngineEvent, Plan, PlanStep, StepStartedData } from "@runledger/contracts";
import { indexPlan, pathOf, UNDO } from "@runledger/core";

export interface Stretch {
  /** Milliseconds since 1970. */
  readonly from: number;
  readonly to: number;
}

/** A shorter pause between two steps is the normal delay of a start. */
const MIN_IDLE_MS = 1000;

const RUN_ENDS = new Set(["RunCompleted", "RunFailed", "RunCancelled"]);
const STEP_ENDS = new Set(["StepCompleted", "StepFailed", "StepSkipped"]);

export class WorkTime {
  readonly #stepAt: ReadonlyMap<string, PlanStep> | null;
  readonly #working = new Set<string>();
  readonly #stretches: Stretch[] = [];
  #since = 0;

  constructor(plan: Plan | null) {
    this.#stepAt = plan === null ? null : indexPlan(plan);
  }

  add(events: Iterable<CanonicalEngineEvent>): void {
    for (const event of events) {
      const at = Date.parse(event.emittedAt);
      const { eventType, stepId = "" } = event;
      if (eventType === "StepStarted" && this.#isWork(event)) this.#start(stepId, at);
      else if (STEP_ENDS.has(eventType)) this.#finish([stepId], at);
      else if (RUN_ENDS.has(eventType)) this.#finish([...this.#working], at);
    }
  }

  /** Returns the idle stretches of a span, in order. */
  idleIn({ from, to }: Stretch): readonly Stretch[] {
    const worked = this.#working.size === 0 ? this.#stretches : [...this.#stretches, { from: this.#since, to }];
    const idle: Stretch[] = [];
    let end = from;
    for (const one of [...worked, { from: to, to }]) {
      const next = Math.min(one.from, to);
      if (next - end >= MIN_IDLE_MS) idle.push({ from: end, to: next });
      end = Math.max(end, one.to);
    }
    return idle;
  }

  #start(stepId: string, at: number): void {
    if (this.#working.size === 0) this.#since = at;
    this.#working.add(stepId);
  }

  #finish(stepIds: readonly string[], at: number): void {
    const before = this.#working.size;
    for (const stepId of stepIds) this.#working.delete(stepId);
    if (before > 0 && this.#working.size === 0) this.#stretches.push({ from: this.#since, to: at });
  }

  /** Waits, containers and passes through a container do not work. The steps inside a container do. */
  #isWork({ stepId = "", eventData }: CanonicalEngineEvent): boolean {
    const { waitsFor, opened } = (eventData ?? {}) as StepStartedData;
    if (waitsFor !== undefined || opened?.until !== undefined) return false;
    if (stepId.startsWith(UNDO)) return true;
    const step = this.#stepAt?.get(pathOf(stepId));
    const isContainer = step?.bodies !== undefined || stepId.split("/").length % 2 === 0;
    return !isContainer && step?.kind !== "wait" && step?.kind !== "sleep";
  }
}

export function lengthOf(stretches: readonly Stretch[]): number {
  return stretches.reduce((sum, { from, to }) => sum + to - from, 0);
}
