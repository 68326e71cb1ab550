import type { Json } from "./json.js";

/** The source of a trigger's events, and its settings. Secrets are references, never values. */
export interface SourceSettings {
  /** `webhook`, or the name under which a process registers a source. */
  readonly type: string;
  readonly [setting: string]: Json;
}

/**
 * Data only: any process can start the runs. Expressions are CEL over `event`, which has `id`, `type`, `source`, `subject`,
 * `time`, `data` and the extensions of a CloudEvent.
 */
export interface TriggerDefinition {
  readonly source: SourceSettings;
  /** Id of the workflow. */
  readonly workflow: string;
  /** Absent for the version that was published last. */
  readonly version?: string;
  /** Selects events. Absent if every event starts a run. */
  readonly filter?: string;
  /** Computes the input of the run. Absent if it is `event.data`. */
  readonly input?: string;
  /** Computes the key that has one run. Absent if it is the source and the id of the event. */
  readonly key?: string;
  /** Compute labels of the run, by name. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Computes the concurrency key of the run. */
  readonly concurrencyKey?: string;
  readonly projectId: string;
  readonly environmentId: string;
  readonly priority: number;
  /** Failed attempts after which an event of a broker is rejected. */
  readonly maxAttempts: number;
}

export interface TriggerName {
  readonly tenantId: string;
  readonly triggerId: string;
}

/** An event that could not start a run. */
export interface RejectedEvent {
  readonly at: string;
  /** `null` if the message has no readable id. */
  readonly eventId: string | null;
  /** The place of the event in its source, such as `orders/3@1042`. */
  readonly position: string;
  readonly message: string;
}

/** Events by their outcome. */
export interface EventCounts {
  /** Events that started a run. */
  readonly started: number;
  /** Events whose run existed. */
  readonly repeated: number;
  /** Events that the filter excluded. */
  readonly skipped: number;
  readonly rejected: number;
}

/** Starts a run of a tenant for each event of a source. All times come from the store's clock. */
export interface Trigger extends TriggerName, EventCounts {
  readonly definition: TriggerDefinition;
  /** Changes whenever the definition changes. */
  readonly version: number;
  /** Events that a broker stored before this time start no run. `null` if all do. */
  readonly startsAt: string | null;
  readonly createdAt: string;
  /** `null` if the trigger is not paused. */
  readonly pausedAt: string | null;
  readonly lastEventAt: string | null;
  readonly lastRunId: string | null;
  /** Consecutive attempts at which the source was unavailable. */
  readonly failures: number;
  /** The last error of the source or of an event. `null` if nothing failed. */
  readonly lastError: { readonly at: string; readonly message: string } | null;
  /** The last rejected events, newest first, at most 20. */
  readonly rejections: readonly RejectedEvent[];
}

/** Events that a process has handled for a trigger since its last report. */
export interface TriggerReport extends Partial<EventCounts> {
  readonly lastRunId?: string;
  readonly rejections?: readonly Omit<RejectedEvent, "at">[];
}

export const MAX_REJECTIONS = 20;

/** Triggers and their counters. Start keys make an event start one run, so these tables are not part of that promise (Q1). */
export interface TriggerStore {
  /** Creates a trigger. Returns `null` if one with this name exists. `startsAt` is `now` for the store's time. */
  createTrigger(
    params: TriggerName & { readonly definition: TriggerDefinition; readonly startsAt: string | null },
  ): Promise<Trigger | null>;
  getTrigger(name: TriggerName): Promise<Trigger | null>;
  /** Lists a tenant's triggers by id, ascending. `limit` defaults to 1000. */
  listTriggers(params: {
    readonly tenantId: string;
    readonly afterId?: string;
    readonly limit?: number;
  }): Promise<Trigger[]>;
  /** Lists triggers of all tenants with these types of sources that are not paused, by tenant and id. */
  listActive(params: {
    readonly types: readonly string[];
    readonly after?: TriggerName;
    readonly limit?: number;
  }): Promise<Trigger[]>;
  /** Replaces the definition. Returns `null` if there is no such trigger. */
  changeTrigger(name: TriggerName, definition: TriggerDefinition): Promise<Trigger | null>;
  /** Pauses or resumes. Returns `null` if there is no such trigger. */
  pauseTrigger(name: TriggerName, isPaused: boolean): Promise<Trigger | null>;
  /** Returns `false` if there was no such trigger. */
  removeTrigger(name: TriggerName): Promise<boolean>;
  /** Adds to the counters, and keeps the last rejected events: one entry per event id, or per position if there is no id. Ignores a trigger that was removed. */
  reportEvents(name: TriggerName, report: TriggerReport): Promise<void>;
  /** Records that the source is unavailable, or with `null` that it is available again. */
  reportSource(name: TriggerName, error: string | null): Promise<void>;
}
