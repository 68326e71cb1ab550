/**
 * Finds the step that kills its workers (D5). A step that was running when two workers were lost is a suspect. Its next
 * worker runs it alone, so that a further loss is the suspect's and counts for no other step.
 */
import { indexPlan, pathOf, UNDO, type Command, type RunState } from "@runledger/core";
import type { CanonicalEngineEvent, StepRow } from "@runledger/contracts";
import type { RunContext } from "./run-context.js";

/** After this many take-overs of one logical attempt, its step runs alone. */
export const SUSPECT_AFTER = 2;
/** After this many take-overs of one logical attempt, the step fails. */
export const MAX_TAKE_OVERS = 5;

const CONTAINERS = new Set(["when", "forEach", "repeat", "wait", "sleep", "child"]);

/**
 * Returns the steps whose work was running in the last worker, without containers. If there are suspects, that worker ran
 * only the first one.
 */
export function stepsInFlight(context: RunContext, state: RunState): readonly StepRow[] {
  const running = state.steps.rows().filter((row) => row.status === "RUNNING" && !isContainer(context, row.stepId));
  const suspect = running.find(isSuspect);
  return suspect === undefined ? running : [suspect];
}

export function isContainer({ workflow }: RunContext, stepId: string): boolean {
  return CONTAINERS.has(indexPlan(workflow.plan).get(pathOf(stepId.replace(UNDO, "")))?.kind ?? "when");
}

function isSuspect({ status, takeOvers = 0 }: StepRow): boolean {
  return status === "RUNNING" && takeOvers >= SUSPECT_AFTER;
}

/** Counts the workers that were lost at the end of a log, one after the other, without a step in flight. */
export function stallsAtEnd(events: readonly CanonicalEngineEvent[]): number {
  const own = events.filter(({ eventType }) => !eventType.startsWith("Signal")).toReversed();
  const last = own.findIndex((event) => !isStall(event));
  return last === -1 ? own.length : last;
}

function isStall({ eventType, eventData }: CanonicalEngineEvent): boolean {
  const { stepsInFlight: steps } = (eventData ?? {}) as { readonly stepsInFlight?: unknown };
  return eventType === "RunTakenOver" && Array.isArray(steps) && steps.length === 0;
}

/** The suspects of one run. Steps are read once, because later take-overs have another driver. */
export class Suspects {
  #stepIds: readonly string[] = [];
  /** Workers that were lost since the run's last progress, while no step was running: a closure may have killed them. */
  #stalls = 0;

  /** Call this when the log is loaded and the take-over is in it. */
  read(state: RunState, stalls: number): void {
    this.#stepIds = state.steps
      .rows()
      .filter(isSuspect)
      .map(({ stepId }) => stepId);
    this.#stalls = stalls;
  }

  /** The run made progress, so the last closure did not kill the worker. */
  progressed(): void {
    this.#stalls = 0;
  }

  /** Number of workers that the closure of this command may have killed. */
  get stalls(): number {
    return this.#stalls;
  }

  /** `true` if the run must be driven alone. */
  remain({ steps }: RunState): boolean {
    this.#stepIds = this.#stepIds.filter((stepId) => isSuspect(steps.get(stepId) ?? NONE));
    return this.#stepIds.length > 0 || this.#stalls >= SUSPECT_AFTER;
  }

  /** Keeps only the first suspect of the commands that run a user's code. */
  narrow({ steps }: RunState, commands: readonly Command[]): readonly Command[] {
    const only = this.#first(steps, commands);
    return only === undefined ? commands : commands.filter((command) => command === only || !runsCode(command));
  }

  #first(steps: RunState["steps"], commands: readonly Command[]): Command | undefined {
    for (const stepId of this.#stepIds) {
      if (!isSuspect(steps.get(stepId) ?? NONE)) continue;
      const found = commands.find((command) => command.type === "run" && command.stepId === stepId);
      if (found !== undefined) return found;
    }
    return this.#stalls >= SUSPECT_AFTER ? commands.find(runsCode) : undefined;
  }
}

const NONE: StepRow = { stepId: "", ordinal: 0, status: "PENDING", logicalAttemptId: "1", artifacts: [] };

function runsCode({ type }: Command): boolean {
  return type === "run" || type === "open" || type === "askAgain";
}
