import {
  MAX_REJECTIONS,
  type RejectedEvent,
  type Trigger,
  type TriggerName,
  type TriggerReport,
  type TriggerStore,
} from "@runledger/contracts";
import type { Db } from "./db.js";
import { iso } from "./clock.js";
import { changeDocument, listDocuments, newDocument, readDocument, removeDocument, tryTransact } from "./documents.js";
import { joined, part, prefixOf } from "./queue-keys.js";
import type { Key } from "./table.js";

const TRIGGERS = "TRIGGER#all";
const sortKey = ({ tenantId, triggerId }: TriggerName): string => joined(part(tenantId), part(triggerId));
const keyOf = (name: TriggerName): Key => ({ pk: TRIGGERS, sk: sortKey(name) });

export function triggers({ client }: Db): TriggerStore {
  const now = (): string => iso(client.clock.now());
  const change = (name: TriggerName, parts: (trigger: Trigger) => Partial<Trigger>): Promise<Trigger | null> =>
    changeDocument<Trigger>(client, keyOf(name), (trigger) => ({ ...trigger, ...parts(trigger) }));
  return {
    createTrigger: async (params) => {
      const trigger = newTrigger(params, now());
      return (await tryTransact(client, [newDocument(keyOf(params), trigger)])) ? trigger : null;
    },
    getTrigger: async (name) => (await readDocument<Trigger>(client, keyOf(name)))?.value ?? null,
    listTriggers: ({ tenantId, afterId, limit = 1000 }) => {
      const prefix = prefixOf(part(tenantId));
      const after = afterId === undefined ? "" : sortKey({ tenantId, triggerId: afterId });
      return listDocuments<Trigger>(client, { pk: TRIGGERS, prefix, after, limit });
    },
    listActive: ({ types, after, limit = 1000 }) => {
      const selects = ({ pausedAt, definition }: Trigger): boolean =>
        pausedAt === null && types.includes(definition.source.type);
      return listDocuments<Trigger>(client, {
        pk: TRIGGERS,
        after: after === undefined ? "" : sortKey(after),
        limit,
        selects,
      });
    },
    changeTrigger: (name, definition) =>
      change(name, ({ version }) => ({ definition, version: version + 1, failures: 0 })),
    pauseTrigger: (name, isPaused) =>
      change(name, ({ pausedAt }) => ({ pausedAt: isPaused ? (pausedAt ?? now()) : null, failures: 0 })),
    removeTrigger: (name) => removeDocument(client, keyOf(name)),
    reportEvents: async (name, report) => void (await change(name, (trigger) => reported(trigger, report, now()))),
    reportSource: async (name, message) =>
      void (await change(name, ({ failures }) =>
        message === null ? { failures: 0 } : { failures: failures + 1, lastError: { at: now(), message } },
      )),
  };
}

function newTrigger(params: Parameters<TriggerStore["createTrigger"]>[0], now: string): Trigger {
  const { tenantId, triggerId, definition, startsAt } = params;
  return {
    tenantId,
    triggerId,
    definition,
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
