/** The ports that consist of several functions. */
import type { ChangeFeed, DerivedData, Keyframes, Leases, Plans, RunQueue, SnapshotStore } from "@runledger/contracts";
import { readChanges } from "./change-feed.js";
import type { Db } from "./db.js";
import {
  changedEvents,
  expectedIndexRow,
  listDerived,
  readDerived,
  recount,
  replaceProjection,
  wrongCounts,
} from "./derived-data.js";
import { listBehind, measureLag } from "./feed-lag.js";
import { attend, leave } from "./feed-members.js";
import { pruneChanges } from "./feed-prune.js";
import { fetchRuns } from "./fetch-runs.js";
import { findFollower, openFollower, removeFollower, saveCursor } from "./followers.js";
import { listKeyframes, loadKeyframe, makeKeyframes } from "./keyframes.js";
import { acquireLeases, heartbeat, listWorkers, releaseLeases, retireWorker } from "./leases.js";
import { listPlans, loadNotes, loadPlan, registerPlan } from "./plans.js";
import { claimRuns, heldRuns } from "./queue-claim.js";
import { countQueue, inspectRun, listQueue } from "./queue-inspect.js";
import { parkRun } from "./queue-park.js";
import { startRun } from "./queue-start.js";
import { deleteProjection, saveProjection, saveProjections } from "./save-projections.js";
import { listStale, listSteps, readProjection, readProjections } from "./snapshots.js";
import { listUnserved } from "./unserved-plans.js";

export function changeFeed(db: Db): ChangeFeed {
  return {
    openFollower: (follower) => openFollower(db, follower),
    findFollower: (follower) => findFollower(db, follower),
    readChanges: (cursor, { limit = 1000 } = {}) => readChanges(db, cursor, limit),
    saveCursor: (cursor) => saveCursor(db, cursor),
    removeFollower: (follower) => removeFollower(db, follower),
    fetchRuns: (runs, { limit = 1000, maxBytes = Number.MAX_SAFE_INTEGER } = {}) =>
      fetchRuns(db, runs, { limit, maxBytes }),
    attend: (params) => attend(db, params),
    leave: (params) => leave(db, params),
    measureLag: ({ group, ignoreMs = 0 }) => measureLag(db, { group, ignoreMs }),
    listBehind: ({ afterRunId = "", limit = 10_000 } = {}) => listBehind(db, { afterRunId, limit }),
    pruneChanges: () => pruneChanges(db),
  };
}

export function snapshotStore(db: Db): SnapshotStore {
  return {
    readProjection: (params) => readProjection(db, params),
    readProjections: (params) => readProjections(db, params),
    listStale: ({ afterRunId = "", limit = 1000 } = {}) => listStale(db, { afterRunId, limit }),
    listSteps: ({ runId, afterOrdinal = -1, limit = 1000 }) => listSteps(db, { runId, afterOrdinal, limit }),
    saveProjection: (change) => saveProjection(db, change),
    saveProjections: (changes) => saveProjections(db, changes),
    deleteProjection: (runId) => deleteProjection(db, runId),
  };
}

export function keyframes(db: Db): Keyframes {
  return {
    makeKeyframes: (runIds) => makeKeyframes(db, runIds),
    loadKeyframe: (params) => loadKeyframe(db, params),
    listKeyframes: (runId) => listKeyframes(db, runId),
  };
}

export function derivedData(db: Db): DerivedData {
  return {
    readDerived: (runId) => readDerived(db, runId),
    expectedIndexRow,
    listDerived: (params) => listDerived(db, params),
    replaceProjection: (rebuilt) => replaceProjection(db, rebuilt),
    changedEvents: (runId) => changedEvents(db, runId),
    wrongCounts: () => wrongCounts(db),
    recount: () => recount(db),
  };
}

export function leases(db: Db): Leases {
  return {
    heartbeat: (params) => heartbeat(db, params),
    acquireLeases: (params) => acquireLeases(db, params),
    releaseLeases: (params) => releaseLeases(db, params),
    retireWorker: (workerId) => retireWorker(db, workerId),
    listWorkers: () => listWorkers(db),
  };
}

export function queue(db: Db): RunQueue {
  return {
    startRun: (start) => startRun(db, start),
    claimRuns: (params) => claimRuns(db, params),
    heldRuns: (workerId) => heldRuns(db, workerId),
    parkRun: (params) => parkRun(db, params),
    inspectRun: (runId) => inspectRun(db, runId),
    listQueue: (page) => listQueue(db, page),
    countQueue: () => countQueue(db),
  };
}

export function plans(db: Db): Plans {
  return {
    registerPlan: (plan, notes) => registerPlan(db, plan, notes),
    loadNotes: (ref) => loadNotes(db, ref),
    loadPlan: (ref) => loadPlan(db, ref),
    listPlans: ({ planId, after, limit = 1000, withSource = false } = {}) =>
      listPlans(db, { planId, after, limit, withSource }),
    listUnserved: () => listUnserved(db),
  };
}
