import { InputError, type Schedule } from "@runledger/contracts";
import type { TimingOptions } from "../../scheduler/read-timing.js";
import { chooseWorkflow } from "../workflow-choice.js";
import type { BackfillRange, ScheduleDesk, ScheduleOrder, Times, TimesOrder } from "./schedule-desk.js";
import type { StoreDeskOptions } from "./store-desk.js";
import { userName } from "./user-name.js";

export class StoreSchedules implements ScheduleDesk {
  readonly #options: StoreDeskOptions;

  constructor(options: StoreDeskOptions) {
    this.#options = options;
  }

  get #schedules() {
    return this.#options.ledger.schedules;
  }

  get #tenant() {
    const { tenantId } = this.#options;
    return tenantId === undefined ? {} : { tenantId };
  }

  list(): Promise<readonly Schedule[]> {
    return this.#schedules.list(this.#tenant);
  }

  async put({ workflow: name, input, timing, ...order }: ScheduleOrder): Promise<Schedule> {
    const workflow = chooseWorkflow(await this.#options.projectNeeded(), name);
    return this.#schedules.put({ workflow, input: input as never, ...this.#tenant, ...timing, ...order });
  }

  async next(about: string | TimingOptions, order: TimesOrder): Promise<Times> {
    const times = await this.#schedules.next(about, { ...order, ...this.#tenant });
    if (typeof about !== "string") return { times, timeZone: about.timeZone };
    const schedule = await this.#schedules.get(about, this.#tenant);
    if (schedule === null) throw new InputError("SCHEDULE_NOT_FOUND", "id", `there is no schedule ${about}.`);
    const { timing } = schedule.definition;
    return { times, timeZone: "cron" in timing ? timing.timeZone : undefined };
  }

  pause(scheduleId: string): Promise<Schedule> {
    return this.#schedules.pause(scheduleId, this.#tenant);
  }

  resume(scheduleId: string): Promise<Schedule> {
    return this.#schedules.resume(scheduleId, this.#tenant);
  }

  remove(scheduleId: string): Promise<void> {
    return this.#schedules.remove(scheduleId, this.#tenant);
  }

  backfill(scheduleId: string, range: BackfillRange) {
    return this.#schedules.backfill(scheduleId, { ...range, ...this.#tenant, by: userName() });
  }
}
