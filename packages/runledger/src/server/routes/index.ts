import type { Route } from "../http/define-route.js";
import { createKey, listAudit, listKeys, revokeKey } from "./keys.js";
import { countRuns, listRuns, runHistogram, streamRuns } from "./list-runs.js";
import { listEvents, streamRun } from "./read-events.js";
import { listLogs } from "./read-logs.js";
import { getRun, getRunPlan, getStep, listSteps } from "./read-run.js";
import { endSession, getMe, openSession } from "./sessions.js";
import { startRun } from "./start-run.js";
import { act, signal } from "./steer-run.js";

/** Every route of the API, below `/api/v1`. */
export const routes: readonly Route[] = [
  startRun,
  listRuns,
  countRuns,
  runHistogram,
  streamRuns,
  getRun,
  getRunPlan,
  listSteps,
  getStep,
  listEvents,
  streamRun,
  listLogs,
  act,
  signal,
  getMe,
  openSession,
  endSession,
  listKeys,
  createKey,
  revokeKey,
  listAudit,
];
