import type { Route } from "../http/define-route.js";
import { actOnRuns } from "./act-on-runs.js";
import { getArtifact, listArtifacts } from "./artifacts.js";
import { diffRuns } from "./diff-runs.js";
import { forkRun } from "./fork-run.js";
import { publishWorkflow } from "./publish-workflow.js";
import { getHealth } from "./health.js";
import { createKey, listAudit, listKeys, revokeKey } from "./keys.js";
import { listLimits, removeLimit, setLimit } from "./limits.js";
import { countRuns, listRuns, runHistogram, streamRuns } from "./list-runs.js";
import { getQueuedRun, listQueue } from "./queue.js";
import { listEvents, streamRun } from "./read-events.js";
import { listLogs, streamLogs } from "./read-logs.js";
import { getRun, getRunPlan, getStep, listSteps } from "./read-run.js";
import { getRunOutline } from "./run-outline.js";
import { backfillSchedule, nextTimes, previewTimes } from "./schedule-times.js";
import { getSchedule, listSchedules, pauseSchedule, putSchedule, removeSchedule, resumeSchedule } from "./schedules.js";
import { endSession, getMe, openSession } from "./sessions.js";
import { startRun } from "./start-run.js";
import { startRuns } from "./start-runs.js";
import { act, signal } from "./steer-run.js";
import { watch } from "./watch.js";
import { listWorkers } from "./workers.js";
import { getWorkflow, listVersions, listWorkflows } from "./workflows.js";

/** Every route of the API, below `/api/v1`. */
export const routes: readonly Route[] = [
  startRun,
  startRuns,
  listRuns,
  countRuns,
  runHistogram,
  streamRuns,
  watch,
  getRun,
  getRunPlan,
  getRunOutline,
  listSteps,
  getStep,
  listEvents,
  streamRun,
  listLogs,
  streamLogs,
  listArtifacts,
  getArtifact,
  act,
  actOnRuns,
  signal,
  forkRun,
  diffRuns,
  listWorkflows,
  getWorkflow,
  listVersions,
  publishWorkflow,
  listWorkers,
  getHealth,
  listSchedules,
  getSchedule,
  putSchedule,
  removeSchedule,
  pauseSchedule,
  resumeSchedule,
  nextTimes,
  previewTimes,
  backfillSchedule,
  listQueue,
  getQueuedRun,
  listLimits,
  setLimit,
  removeLimit,
  getMe,
  openSession,
  endSession,
  listKeys,
  createKey,
  revokeKey,
  listAudit,
];
