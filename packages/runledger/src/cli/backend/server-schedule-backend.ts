import type { RunledgerClient, Schedule as ApiSchedule } from "@runledger/client";
import { InputError, omitUndefined, type Json, type Schedule } from "@runledger/contracts";
import type { TimingOptions } from "@runledger/runtime/scheduler/read-timing";
import { parseWorkflowReference } from "./workflow-reference.js";
import type { BackfillRange, ScheduleBackend, ScheduleParams, Times, TimesParams } from "./schedule-backend.js";

export class ServerScheduleBackend implements ScheduleBackend {
  readonly #client: RunledgerClient;

  constructor(client: RunledgerClient) {
    this.#client = client;
  }

  async list(): Promise<readonly Schedule[]> {
    const found: Schedule[] = [];
    for (let after: string | null | undefined; after !== null;) {
      const page = await this.#client.listSchedules(omitUndefined({ after }));
      found.push(...page.items.map(toSchedule));
      after = page.next;
    }
    return found;
  }

  async put({ id, workflow, input, timing, ...params }: ScheduleParams): Promise<Schedule> {
    const body = {
      ...parseWorkflowReference(workflow),
      ...params,
      ...toRequest(timing),
      ...omitUndefined({ input: input as Json }),
    };
    return toSchedule(await this.#client.putSchedule(id, body));
  }

  async next(about: string | TimingOptions, { count, from }: TimesParams): Promise<Times> {
    if (from !== undefined)
      throw new InputError(
        "OPTION_INVALID",
        "--after",
        "a server only returns times from now on. Remove --after, or use --store.",
      );
    if (typeof about === "string") return this.#client.nextTimes(about, count);
    return this.#client.previewTimes({ ...toRequest(about), count });
  }

  async pause(scheduleId: string): Promise<Schedule> {
    return toSchedule(await this.#client.pauseSchedule(scheduleId));
  }

  async resume(scheduleId: string): Promise<Schedule> {
    return toSchedule(await this.#client.resumeSchedule(scheduleId));
  }

  remove(scheduleId: string): Promise<void> {
    return this.#client.removeSchedule(scheduleId);
  }

  async backfill(scheduleId: string, range: BackfillRange) {
    return (await this.#client.backfillSchedule(scheduleId, range)).items;
  }
}

function toRequest({ from, at, ...timing }: TimingOptions) {
  const text = (time: string | Date) => (typeof time === "string" ? time : time.toISOString());
  return {
    ...timing,
    ...(from === undefined ? {} : { from: text(from) }),
    ...(at === undefined ? {} : { at: text(at) }),
  };
}

/** Converts a schedule of the API to the shape that stores use, without the fields that the API does not return. */
function toSchedule({
  scheduleId,
  workflow,
  version,
  pausedAt,
  nextTick,
  dueAt,
  waiting,
  last,
  ...definition
}: ApiSchedule): Schedule {
  const plan = { planId: workflow, planVersion: version };
  return {
    scheduleId,
    definition: { ...definition, plan },
    pausedAt,
    nextTick,
    dueAt,
    waiting,
    last,
  } as unknown as Schedule;
}
