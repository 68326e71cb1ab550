import { InputError, omitUndefined, type Schedule } from "@runledger/contracts";
import type { TimingOptions } from "@runledger/runtime/scheduler/read-timing";
import { chooseWorkflow } from "./choose-workflow.js";
import type { BackfillRange, ScheduleBackend, ScheduleParams, Times, TimesParams } from "./schedule-backend.js";
import type { StoreBackendOptions } from "./store-backend.js";
import { userName } from "./user-name.js";

export class StoreScheduleBackend implements ScheduleBackend {
  readonly #options: StoreBackendOptions;

  constructor(options: StoreBackendOptions) {
    this.#options = options;
  }

  get #schedules() {
    return this.#options.ledger.schedules;
  }

  get #tenant() {
    const { tenantId } = this.#options;
    return omitUndefined({ tenantId });
  }

  list(): Promise<readonly Schedule[]> {
    return this.#schedules.list(this.#tenant);
  }

  async put({ workflow: name, input, timing, ...params }: ScheduleParams): Promise<Schedule> {
    const workflow = chooseWorkflow(await this.#options.requireProject(), name);
    return this.#schedules.put({ workflow, input: input as never, ...this.#tenant, ...timing, ...params });
  }

  async next(about: string | TimingOptions, params: TimesParams): Promise<Times> {
    const times = await this.#schedules.next(about, { ...params, ...this.#tenant });
    if (typeof about !== "string") return { times, timeZone: about.timeZone };
    const schedule = await this.#schedules.get(about, this.#tenant);
    if (schedule === null)
      throw new InputError(
        "SCHEDULE_NOT_FOUND",
        "id",
        `schedule ${about} does not exist. Run runledger schedules list to see all schedules.`,
      );
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
