import {
  ArtifactExpiredError,
  checkEvent,
  QueueFullError,
  readEventData,
  RunDeletedError,
  RunNotFoundError,
  StaleLeaseError,
  targetsOf,
  type Counted,
  type NewEvent,
  type RunStart,
} from "@runledger/contracts";
import { limitFor, prepareCall } from "@runledger/core/store";
import { appendPart } from "./append-events.js";
import { allLimits, drainOf, runsOf } from "./limits.js";
import { enqueue } from "./queue-effects.js";
import { expiredOf, isDeleted } from "./retention-tables.js";
import { takeTick } from "./schedules.js";
import type { Tables } from "./tables.js";

interface Started {
  readonly runId: string;
  readonly created: boolean;
  readonly inputHash: string;
  readonly limited: boolean;
}

export function startRun(tables: Tables, start: RunStart): Started {
  const { event, kept = [], startKey, dedupeKey, inputHash, tenantId, parent, tick } = start;
  const known = tables.starts.get(startKey) ?? tables.starts.get(dedupeKey ?? startKey);
  if (known !== undefined && isDeleted(tables, known.runId)) throw new RunDeletedError(known.runId);
  if (known !== undefined) return { ...known, created: false, limited: false };
  assertOwned(tables, parent);
  const origin = kept.length === 0 ? undefined : originOf(event);
  if (origin !== undefined && !tables.runs.has(origin)) throw new RunNotFoundError(origin);
  const gone = expiredOf(tables, start.refersTo ?? []);
  if (gone !== undefined) throw new ArtifactExpiredError(gone.uri, gone.expiredAt);
  const { planId = "", planVersion, runId } = checkEvent(event).event;
  const { projectId = "default", concurrencyKey = null, logFormat, priority, startAt } = start;
  if (parent === undefined) assertPlace(tables, { tenantId, projectId, planId, concurrencyKey });
  const { runs } = prepareCall([event, ...kept], {}, { tenantId });
  const earlier = tick === undefined ? null : takeTick(tables, { tenantId, ...tick }, runId);
  if (earlier !== null) return { runId: earlier, created: false, inputHash, limited: false };
  for (const key of [startKey, dedupeKey ?? startKey]) tables.starts.set(key, { runId, inputHash });
  for (const part of runs) appendPart(tables, part);
  const key = concurrencyKey === null ? {} : { concurrencyKey };
  const place = { planId, planVersion, logFormat, priority, projectId, ...key };
  enqueue(tables, tables.runs.get(runId)!, place, startAt === undefined ? undefined : Date.parse(startAt));
  return { runId, created: true, inputHash, limited: concurrencyKey !== null || allLimits(tables).length > 0 };
}

/** The run that a start forks. */
export function originOf({ eventType, eventData }: Pick<NewEvent, "eventType" | "eventData">): string | undefined {
  return eventType === "RunQueued" ? readEventData("RunQueued", eventData).fork?.runId : undefined;
}

function assertOwned(tables: Tables, parent: RunStart["parent"]): void {
  if (parent === undefined) return;
  const epoch = tables.runs.get(parent.runId)?.leaseEpoch ?? 0;
  if (parent.epoch !== epoch) throw new StaleLeaseError(parent.runId, parent.epoch, epoch);
}

function assertPlace(tables: Tables, run: Counted): void {
  for (const target of targetsOf(run)) {
    const most = limitFor(allLimits(tables), target)?.maxQueued ?? Infinity;
    const queued = most === Infinity ? 0 : runsOf(tables, target, ({ startedAt }) => startedAt === null).length;
    if (queued >= most) throw new QueueFullError(target, drainOf(tables, target));
  }
}
