/** Creates, replaces and changes schedules. A change is saved only if the schedule is still the one that was read. */
import { isDeepStrictEqual } from "node:util";
import {
  cappedInstant,
  DEFAULT_TENANT,
  ScheduleChangedError,
  type FullStateStore,
  type Schedule,
  type ScheduleDefinition,
  type ScheduleName,
} from "@runledger/contracts";
import { publishPlan } from "../runs/publish-plan.js";
import { checkVisible } from "../runs/visibility.js";
import type { CompiledWorkflow } from "../workflow/compiled-workflow.js";
import { notesOf } from "../yaml/published-workflow.js";
import { readDefinition, type ScheduleOptions } from "./definition.js";
import { iso } from "./iso.js";
import { jitterOf } from "./jitter.js";
import { firstTime } from "./never-fires.js";

/** The tenant that owns the schedule. Default: `default`. */
export interface TenantOption {
  readonly tenantId?: string;
}

type State = Omit<Schedule, "epoch">;

/** Creates or replaces a schedule of a compiled workflow. */
export async function saveSchedule(
  store: FullStateStore,
  workflow: CompiledWorkflow,
  input: unknown,
  options: ScheduleOptions,
): Promise<Schedule> {
  const definition = await readDefinition(workflow, input, options);
  const notes = workflow.isPublished === true ? undefined : notesOf(workflow);
  await publishPlan(store, workflow.plan, notes); // schedulers load it from the store
  await checkVisible(store, workflow.plan, nameOf(options.id, options).tenantId);
  return changeSchedule(store, nameOf(options.id, options), (state, now, name) =>
    defined(state, name, definition, now),
  );
}

/** Reads, decides and writes; retries if another caller wrote in between. Writes nothing if nothing changed. */
export async function changeSchedule(
  store: FullStateStore,
  name: ScheduleName,
  decide: (state: Schedule | null, now: number, name: ScheduleName) => State,
): Promise<Schedule> {
  for (;;) {
    const { now, schedule } = await store.schedules.getSchedule(name);
    const state = decide(schedule, Date.parse(now), name);
    if (state === schedule) return schedule;
    try {
      return await store.schedules.saveSchedule(state, schedule?.epoch ?? null);
    } catch (error) {
      if (!(error instanceof ScheduleChangedError)) throw error;
    }
  }
}

function defined(state: Schedule | null, name: ScheduleName, definition: ScheduleDefinition, now: number): State {
  if (state !== null && isSame(state.definition, definition)) return state;
  const keepsTiming = state !== null && isSame(state.definition.timing, definition.timing);
  const nextTick = keepsTiming ? state.nextTick : iso(firstTime(definition.timing, now));
  const fresh = { ...name, pausedAt: null, waiting: false, last: null, dueAt: null };
  return due({ ...(state ?? fresh), ...(keepsTiming ? {} : { waiting: false }), definition, nextTick });
}

/** Makes the schedule due at its next tick. Saving it raises the epoch, which fences a scheduler that holds it. */
export function due(state: State): State {
  const { nextTick, pausedAt } = state;
  return {
    ...state,
    dueAt: nextTick === null || pausedAt !== null ? null : cappedInstant(Date.parse(nextTick) + jitterOf(state)),
  };
}

function isSame(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(one, other);
}

export function nameOf(scheduleId: string, { tenantId = DEFAULT_TENANT }: TenantOption): ScheduleName {
  return { tenantId, scheduleId };
}
