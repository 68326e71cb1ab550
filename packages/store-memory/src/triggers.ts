import {
  MAX_REJECTIONS,
  type RejectedEvent,
  type Trigger,
  type TriggerName,
  type TriggerReport,
  type TriggerStore,
} from "@runledger/contracts";
import { compareIds } from "./heads.js";
import type { Tables } from "./tables.js";

const keyOf = ({ tenantId, triggerId }: TriggerName): string => JSON.stringify([tenantId, triggerId]);
const compareNames = (a: TriggerName, b: TriggerName): number =>
  compareIds(a.tenantId, b.tenantId) || compareIds(a.triggerId, b.triggerId);

export function triggers(tables: Tables): TriggerStore {
  const now = (): string => new Date(tables.now()).toISOString();
  const put = (trigger: Trigger): Trigger => {
    tables.triggers.set(keyOf(trigger), trigger);
    return trigger;
  };
  const change = (name: TriggerName, parts: (trigger: Trigger) => Partial<Trigger>): Trigger | null => {
    const found = tables.triggers.get(keyOf(name));
    return found === undefined ? null : put({ ...found, ...parts(found) });
  };
  const sorted = (selects: (trigger: Trigger) => boolean, limit: number): Trigger[] =>
    [...tables.triggers.values()].filter(selects).sort(compareNames).slice(0, limit);
  return {
    createTrigger: async (params) => (tables.triggers.has(keyOf(params)) ? null : put(newTrigger(params, now()))),
    getTrigger: async (name) => tables.triggers.get(keyOf(name)) ?? null,
    listTriggers: async ({ tenantId, afterId = "", limit = 1000 }) =>
      sorted((each) => each.tenantId === tenantId && compareIds(each.triggerId, afterId) > 0, limit),
    listActive: async ({ types, after = { tenantId: "", triggerId: "" }, limit = 1000 }) => {
      const isActive = ({ pausedAt, definition }: Trigger): boolean =>
        pausedAt === null && types.includes(definition.source.type);
      return sorted((each) => isActive(each) && compareNames(each, after) > 0, limit);
    },
    changeTrigger: async (name, definition) =>
      change(name, ({ version }) => ({ definition: structuredClone(definition), version: version + 1, failures: 0 })),
    pauseTrigger: async (name, isPaused) =>
      change(name, ({ pausedAt }) => ({ pausedAt: isPaused ? (pausedAt ?? now()) : null, failures: 0 })),
    removeTrigger: async (name) => tables.triggers.delete(keyOf(name)),
    reportEvents: async (name, report) => void change(name, (trigger) => reported(trigger, report, now())),
    reportSource: async (name, message) =>
      void change(name, ({ failures }) =>
        message === null ? { failures: 0 } : { failures: failures + 1, lastError: { at: now(), message } },
      ),
  };
}

function newTrigger(params: Parameters<TriggerStore["createTrigger"]>[0], now: string): Trigger {
  const { tenantId, triggerId, definition, startsAt } = params;
  return {
    tenantId,
    triggerId,
    definition: structuredClone(definition),
    version: 1,
    startsAt: startsAt === "now" ? now : startsAt,
    createdAt: now,
    pausedAt: null,
    started: 0,
    repeated: 0,
    skipped: 0,
    rejected: 0,
    lastEventAt: null,
    lastRunId: null,
    failures: 0,
    lastError: null,
    rejections: [],
  };
}

function reported(trigger: Trigger, report: TriggerReport, at: string): Partial<Trigger> {
  const { started = 0, repeated = 0, skipped = 0, rejected = 0, lastRunId, rejections = [] } = report;
  const fresh = rejections.map((each) => ({ at, ...each }));
  const kept = trigger.rejections.filter((old) => !fresh.some((each) => isSame(each, old)));
  return {
    started: trigger.started + started,
    repeated: trigger.repeated + repeated,
    skipped: trigger.skipped + skipped,
    rejected: trigger.rejected + rejected,
    lastEventAt: at,
    lastRunId: lastRunId ?? trigger.lastRunId,
    lastError: fresh[0] === undefined ? trigger.lastError : { at, message: fresh[0].message },
    rejections: [...fresh, ...kept].slice(0, MAX_REJECTIONS),
  };
}

/** Compares messages without an id by their position. */
function isSame(one: Omit<RejectedEvent, "at">, other: RejectedEvent): boolean {
  return one.eventId === other.eventId && (one.eventId !== null || one.position === other.position);
}
