/**
 * The ports besides the log, as callers see them: closed stores refuse calls, and arguments are checked before anything
 * is sent. The backend's functions get only valid arguments.
 */
import {
  checkedJson,
  checkIdentifier,
  type Access,
  type Archive,
  type Audit,
  type ChangeFeed,
  type Checkpoints,
  type Grant,
  type Leases,
  type ProjectionChange,
  type PlanRef,
  type Plans,
  type ScheduleName,
  type Schedules,
  type SnapshotStore,
} from "@runledger/contracts";
import { checkIdentifiers, checkWhole } from "./check-arguments.js";

/** Enough for a workflow's source text and its schemas. */
const MAX_NOTES_BYTES = 1024 * 1024;

export type AssertOpen = () => void;

/** Runs the checks of a call before the call. An error of a check rejects the promise. */
export async function after<T>(checks: readonly (() => void)[], call: () => Promise<T>): Promise<T> {
  for (const check of checks) check();
  return call();
}

const named = (field: string, value: string) => () => checkIdentifier(field, value);
const allNamed = (field: string, values: readonly string[]) => () => checkIdentifiers(field, values);
const planNamed = ({ planId, planVersion }: PlanRef) => [named("planId", planId), named("planVersion", planVersion)];
const whole = (field: string, value: number, least: number) => () => checkWhole(field, value, least);

export function checkedFeed(feed: ChangeFeed, open: AssertOpen): ChangeFeed {
  const follower = (name: string) => [open, named("follower", name)];
  const member = (params: { group: string; member: string }) => [
    named("group", params.group),
    named("member", params.member),
  ];
  return {
    openFollower: (name) => after(follower(name), () => feed.openFollower(name)),
    findFollower: (name) => after(follower(name), () => feed.findFollower(name)),
    readChanges: (cursor, { limit = 1000 } = {}) =>
      after([...follower(cursor.follower), whole("limit", limit, 1)], () => feed.readChanges(cursor, { limit })),
    saveCursor: (cursor) => after(follower(cursor.follower), () => feed.saveCursor(cursor)),
    removeFollower: (name) => after(follower(name), () => feed.removeFollower(name)),
    measureLag: ({ group, ignoreMs = 0 }) =>
      after([open, named("group", group), whole("ignoreMs", ignoreMs, 0)], () => feed.measureLag({ group, ignoreMs })),
    listBehind: ({ afterRunId = "", limit = 10_000 } = {}) =>
      after([open, ...(afterRunId === "" ? [] : [named("afterRunId", afterRunId)]), whole("limit", limit, 1)], () =>
        feed.listBehind({ afterRunId, limit }),
      ),
    pruneChanges: () => after([open], () => feed.pruneChanges()),
    fetchRuns: (runs, { limit = 1000, maxBytes = Number.MAX_SAFE_INTEGER } = {}) => {
      const each = runs.flatMap(({ runId, afterSeq }) => [named("runId", runId), whole("afterSeq", afterSeq, 0)]);
      const bounds = [whole("limit", limit, 1), whole("maxBytes", maxBytes, 1)];
      return after([open, ...each, ...bounds], () => feed.fetchRuns(runs, { limit, maxBytes }));
    },
    attend: (params) => after([open, ...member(params), whole("ttlMs", params.ttlMs, 1)], () => feed.attend(params)),
    leave: (params) => after([open, ...member(params)], () => feed.leave(params)),
  };
}

export function checkedSnapshots(snapshots: SnapshotStore, open: AssertOpen): SnapshotStore {
  const run = (runId: string) => [open, named("runId", runId)];
  const saving = ({ header, readSeq }: ProjectionChange) => [...run(header.runId), whole("readSeq", readSeq, 0)];
  return {
    readProjection: (params) =>
      after([...run(params.runId), allNamed("stepIds", params.stepIds)], () => snapshots.readProjection(params)),
    // Any event may name a step, so step ids can be any string. Ids that cannot exist are not found.
    readProjections: (params) =>
      after([open, ...params.map(({ runId }) => named("runId", runId))], () => snapshots.readProjections(params)),
    listStale: ({ afterRunId = "", limit = 1000 } = {}) =>
      after([open, ...(afterRunId === "" ? [] : [named("afterRunId", afterRunId)]), whole("limit", limit, 1)], () =>
        snapshots.listStale({ afterRunId, limit }),
      ),
    listSteps: ({ runId, afterOrdinal = -1, limit = 1000 }) =>
      after([...run(runId), whole("afterOrdinal", afterOrdinal, -1), whole("limit", limit, 1)], () =>
        snapshots.listSteps({ runId, afterOrdinal, limit }),
      ),
    saveProjection: (change) => after(saving(change), () => snapshots.saveProjection(change)),
    saveProjections: (changes) => after(changes.flatMap(saving), () => snapshots.saveProjections(changes)),
    deleteProjection: (runId) => after(run(runId), () => snapshots.deleteProjection(runId)),
  };
}

export function checkedLeases(leases: Leases, open: AssertOpen): Leases {
  const worker = (workerId: string) => [open, named("workerId", workerId)];
  return {
    heartbeat: (params) => {
      const { workerId, ttlMs, plans = [], logFormat = 0, tenants = [] } = params;
      const told = [...plans.flatMap(planNamed), whole("logFormat", logFormat, 0), allNamed("tenants", tenants)];
      return after([...worker(workerId), whole("ttlMs", ttlMs, 1), ...told], () => leases.heartbeat(params));
    },
    acquireLeases: (params) =>
      after([...worker(params.workerId), allNamed("runIds", params.runIds)], () => leases.acquireLeases(params)),
    releaseLeases: (params) => {
      const each = params.leases.flatMap(({ runId, epoch }) => [named("runId", runId), whole("epoch", epoch, 1)]);
      return after([...worker(params.workerId), ...each], () => leases.releaseLeases(params));
    },
    retireWorker: (workerId) => after(worker(workerId), () => leases.retireWorker(workerId)),
    listWorkers: () => after([open], () => leases.listWorkers()),
  };
}

export function checkedCheckpoints(checkpoints: Checkpoints, open: AssertOpen): Checkpoints {
  return {
    loadCheckpoint: (runId) => after([open, named("runId", runId)], () => checkpoints.loadCheckpoint(runId)),
  };
}

export function checkedArchive(archive: Archive, open: AssertOpen): Archive {
  return { archiveRun: (runId) => after([open, named("runId", runId)], () => archive.archiveRun(runId)) };
}

export function checkedPlans(plans: Plans, open: AssertOpen): Plans {
  return {
    registerPlan: (plan, notes) => {
      const noted = () => void (notes === undefined || checkedJson("notes", notes, MAX_NOTES_BYTES));
      return after([open, ...planNamed(plan), noted], () => plans.registerPlan(plan, notes));
    },
    loadNotes: (wanted) => after([open, ...planNamed(wanted)], () => plans.loadNotes(wanted)),
    loadPlan: (wanted) => after([open, ...planNamed(wanted)], () => plans.loadPlan(wanted)),
    listPlans: (params = {}) => {
      const { planId, after: last, limit = 1000 } = params;
      const places = [
        ...(planId === undefined ? [] : [named("planId", planId)]),
        ...(last === undefined ? [] : planNamed(last)),
      ];
      return after([open, ...places, whole("limit", limit, 1)], () => plans.listPlans({ ...params, limit }));
    },
    listUnserved: () => after([open], () => plans.listUnserved()),
  };
}

export function checkedSchedules(schedules: Schedules, open: AssertOpen): Schedules {
  const name = ({ tenantId, scheduleId }: ScheduleName) => [
    open,
    named("tenantId", tenantId),
    named("scheduleId", scheduleId),
  ];
  return {
    getSchedule: (wanted) => after(name(wanted), () => schedules.getSchedule(wanted)),
    listSchedules: (params) =>
      after([open, named("tenantId", params.tenantId), whole("limit", params.limit ?? 1000, 1)], () =>
        schedules.listSchedules(params),
      ),
    saveSchedule: (schedule, readEpoch) => after(name(schedule), () => schedules.saveSchedule(schedule, readEpoch)),
    removeSchedule: (wanted) => after(name(wanted), () => schedules.removeSchedule(wanted)),
    claimDue: (params) =>
      after([open, whole("limit", params.limit, 1), whole("holdMs", params.holdMs, 1)], () =>
        schedules.claimDue(params),
      ),
    listTicks: (params) => after(name(params), () => schedules.listTicks(params)),
    openTicks: (wanted) => after(name(wanted), () => schedules.openTicks(wanted)),
  };
}

export function checkedAccess(access: Access, open: AssertOpen): Access {
  const key = (keyId: string) => [open, named("keyId", keyId)];
  const session = (hash: string) => [open, named("sessionHash", hash)];
  const grant = ({ tenantId, name }: Grant) => [named("tenantId", tenantId), named("name", name)];
  return {
    createKey: (made) => {
      const { keyId, secretHash, createdBy, ttlMs } = made;
      const facts = [named("secretHash", secretHash), named("createdBy", createdBy), whole("ttlMs", ttlMs ?? 1, 1)];
      return after([...key(keyId), ...grant(made), ...facts], () => access.createKey(made));
    },
    findKey: (keyId) => after(key(keyId), () => access.findKey(keyId)),
    listKeys: (params) =>
      after([open, named("tenantId", params.tenantId), whole("limit", params.limit ?? 1000, 1)], () =>
        access.listKeys(params),
      ),
    revokeKey: (params) =>
      after([...key(params.keyId), named("tenantId", params.tenantId)], () => access.revokeKey(params)),
    keyUsed: (keyId) => after(key(keyId), () => access.keyUsed(keyId)),
    createSession: (made, ttlMs) => {
      const facts = [...grant(made), named("credential", made.credential), whole("ttlMs", ttlMs, 1)];
      return after([...session(made.sessionHash), ...facts], () => access.createSession(made, ttlMs));
    },
    findSession: (hash) => after(session(hash), () => access.findSession(hash)),
    removeSession: (hash) => after(session(hash), () => access.removeSession(hash)),
  };
}

/** More than any batch of entries needs. */
const MAX_AUDIT_BYTES = 1024 * 1024;

export function checkedAudit(audit: Audit, open: AssertOpen): Audit {
  return {
    recordAudit: (entries) =>
      after([open, () => checkedJson("entries", entries, MAX_AUDIT_BYTES)], () => audit.recordAudit(entries)),
    listAudit: (params) =>
      after([open, named("tenantId", params.tenantId), whole("limit", params.limit ?? 100, 1)], () =>
        audit.listAudit(params),
      ),
    readAudit: (params) =>
      after([open, named("tenantId", params.tenantId), whole("limit", params.limit ?? 1000, 1)], () =>
        audit.readAudit(params),
      ),
    auditChain: () => after([open], () => audit.auditChain()),
    pruneAudit: (params) => after([open, whole("olderThanMs", params.olderThanMs, 0)], () => audit.pruneAudit(params)),
  };
}
