import { createKey } from "../access/create-key.js";
import { endSession } from "../access/end-session.js";
import { getMe } from "../access/get-me.js";
import { listAudit } from "../access/list-audit.js";
import { listKeys } from "../access/list-keys.js";
import { openSession } from "../access/open-session.js";
import { revokeKey } from "../access/revoke-key.js";
import { getArtifact } from "../artifacts/get-artifact.js";
import { listArtifacts } from "../artifacts/list-artifacts.js";
import { getDataset } from "../datasets/get-dataset.js";
import { listDatasets } from "../datasets/list-datasets.js";
import { getDeadLetter } from "../dead-letters/get-dead-letter.js";
import { listDeadLetters } from "../dead-letters/list-dead-letters.js";
import { dropDeadLetter, redriveDeadLetter } from "../dead-letters/release-dead-letter.js";
import { getHealth } from "../health/get-health.js";
import type { Route } from "../http/define-route.js";
import { listLimits } from "../limits/list-limits.js";
import { removeLimit } from "../limits/remove-limit.js";
import { setLimit } from "../limits/set-limit.js";
import { listLogs } from "../logs/list-logs.js";
import { streamLogs } from "../logs/stream-logs.js";
import { backfillPartitions } from "../partitions/backfill-partitions.js";
import { listPartitions } from "../partitions/list-partitions.js";
import { previewArtifact } from "../previews/preview-artifact.js";
import { getQueuedRun } from "../queue/get-queued-run.js";
import { listQueue } from "../queue/list-queue.js";
import { listRetention } from "../retention/list-retention.js";
import { removeRetention } from "../retention/remove-retention.js";
import { reportRetention } from "../retention/report-retention.js";
import { setRetention } from "../retention/set-retention.js";
import { countRuns } from "../runs/count-runs.js";
import { diffRuns } from "../runs/diff-runs.js";
import { eraseRun } from "../runs/erase-run.js";
import { getRunOutline } from "../runs/get-run-outline.js";
import { getRunPlan } from "../runs/get-run-plan.js";
import { getRun } from "../runs/get-run.js";
import { getStep } from "../runs/get-step.js";
import { listEvents } from "../runs/list-events.js";
import { listRuns } from "../runs/list-runs.js";
import { listSteps } from "../runs/list-steps.js";
import { runHistogram } from "../runs/run-histogram.js";
import { startRun } from "../runs/start-run.js";
import { startRuns } from "../runs/start-runs.js";
import { streamRun } from "../runs/stream-run.js";
import { streamRuns } from "../runs/stream-runs.js";
import { watch } from "../runs/watch.js";
import { backfillSchedule } from "../schedules/backfill-schedule.js";
import { getSchedule } from "../schedules/get-schedule.js";
import { listSchedules } from "../schedules/list-schedules.js";
import { nextTimes } from "../schedules/next-times.js";
import { pauseSchedule, resumeSchedule } from "../schedules/pause-schedule.js";
import { previewTimes } from "../schedules/preview-times.js";
import { putSchedule } from "../schedules/put-schedule.js";
import { removeSchedule } from "../schedules/remove-schedule.js";
import { act } from "../steering/act-on-run.js";
import { actOnRuns } from "../steering/act-on-runs.js";
import { forkRun } from "../steering/fork-run.js";
import { signal } from "../steering/send-signal.js";
import { getSubscription } from "../subscriptions/get-subscription.js";
import { listSubscriptions } from "../subscriptions/list-subscriptions.js";
import { pauseSubscription, resumeSubscription } from "../subscriptions/pause-subscription.js";
import { putSubscription } from "../subscriptions/put-subscription.js";
import { removeSubscription } from "../subscriptions/remove-subscription.js";
import { rewindSubscription } from "../subscriptions/rewind-subscription.js";
import { testSubscription } from "../subscriptions/test-subscription.js";
import { getTrigger } from "../triggers/get-trigger.js";
import { listTriggers } from "../triggers/list-triggers.js";
import { pauseTrigger, resumeTrigger } from "../triggers/pause-trigger.js";
import { putTrigger } from "../triggers/put-trigger.js";
import { removeTrigger } from "../triggers/remove-trigger.js";
import { sendEvent } from "../triggers/send-event.js";
import { testTrigger } from "../triggers/test-trigger.js";
import { listWorkers } from "../workers/list-workers.js";
import { getWorkflow } from "../workflows/get-workflow.js";
import { listVersions } from "../workflows/list-versions.js";
import { listWorkflows } from "../workflows/list-workflows.js";
import { listSlowestSteps } from "../workflows/slowest-steps.js";
import { publishWorkflow } from "../workflows/publish-workflow.js";

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
  previewArtifact,
  act,
  actOnRuns,
  signal,
  forkRun,
  diffRuns,
  eraseRun,
  listWorkflows,
  getWorkflow,
  listVersions,
  listSlowestSteps,
  publishWorkflow,
  listPartitions,
  backfillPartitions,
  listWorkers,
  getHealth,
  listDatasets,
  getDataset,
  listSchedules,
  getSchedule,
  putSchedule,
  removeSchedule,
  pauseSchedule,
  resumeSchedule,
  nextTimes,
  previewTimes,
  backfillSchedule,
  listSubscriptions,
  getSubscription,
  putSubscription,
  removeSubscription,
  pauseSubscription,
  resumeSubscription,
  rewindSubscription,
  testSubscription,
  listDeadLetters,
  getDeadLetter,
  redriveDeadLetter,
  dropDeadLetter,
  listTriggers,
  getTrigger,
  putTrigger,
  removeTrigger,
  pauseTrigger,
  resumeTrigger,
  testTrigger,
  sendEvent,
  listQueue,
  getQueuedRun,
  listLimits,
  setLimit,
  removeLimit,
  listRetention,
  setRetention,
  removeRetention,
  reportRetention,
  getMe,
  openSession,
  endSession,
  listKeys,
  createKey,
  revokeKey,
  listAudit,
];
