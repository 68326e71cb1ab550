import type { RunledgerClient, Schedule as ApiSchedule } from "@runledger/client";
import { InputError, type Json, type Schedule } from "@runledger/contracts";
import type { TimingOptions } from "../../scheduler/read-timing.js";
import { named } from "./named.js";
import type { BackfillRange, ScheduleDesk, ScheduleOrder, Times, TimesOrder } from "./schedule-desk.js";

export class ServerSchedules implements ScheduleDesk {
  readonly #client: RunledgerClient;

  constructor(client: RunledgerClient) {
    this.#client = client;
  }

  async list(): Promise<readonly Schedule[]> {
    const found: Schedule[] = [];
    for (let after: string | null | undefined; after !== null;) {
      const page = await this.#client.listSchedules(after === undefined ? {} : { after });
      found.push(...page.items.map(toSchedule));
      after = page.next;
    }
    return found;
  }

  async put({ id, workflow, input, timing, ...order }: ScheduleOrder): Promise<Schedule> {
    const said = {
      ...named(workflow),
      ...order,
      ...toRequest(timing),
      ...(input === undefined ? {} : { input: input as Json }),
    };
    return toSchedule(await this.#client.putSchedule(id, said));
  }

  async next(about: string | TimingOptions, { count, from }: TimesOrder): Promise<Times> {
    if (from !== undefined)
      throw new InputError(
        "OPTION_INVALID",
        "--after",
        "a server tells times from now on; leave it out, or name a store.",
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

/** As a store has it, as far as a server tells. */
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
