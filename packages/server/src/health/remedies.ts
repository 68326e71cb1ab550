import { ALERTS, type AlertCode } from "@runledger/contracts";

/** Advice for each alert. */
const REMEDIES: Readonly<Record<AlertCode, string>> = {
  PROJECTOR_LAG_HIGH:
    "Start another process with the projector role, or check how fast the database writes. Runs are marked as stale until the projector has caught up.",
  PROJECTOR_GAP_DETECTED:
    "Run `runledger store verify` for the run and restore its events from a backup. Nothing of the run is executed until then.",
  PROJECTOR_RUN_FAILED:
    "Run `runledger store verify` for the run, and `runledger store rebuild` if its derived data differs. Other runs are not affected.",
  EVENTS_LOST:
    "Start the named runs again if their effects are needed. Use synchronous replication, so that a failover loses nothing that was acknowledged.",
  SCHEDULE_FAILED: "See the message. The scheduler retries the schedule every minute; other schedules fire as usual.",
  OUTBOX_DEAD_LETTER:
    "Inspect the dead letter with `runledger outbox dead-letters`. Correct the receiver and redrive the event, or drop it. The later events of its run wait until then.",
  OUTBOX_RUN_FAILED:
    "Run `runledger store verify` for the run and restore its events from a backup. Other runs are delivered as usual.",
  TRIGGER_EVENT_REJECTED:
    "See the event with `runledger triggers show`. Correct the trigger or the sender, and send the event again under a new id, or as it is if no run was started.",
  APPEND_BUDGET_EXCEEDED:
    "Check the load, locks and disks of the database, and the network to it. Completed steps fail and are retried until appends are faster; raise `writeLatencyBudgetMs` if the delay is normal.",
  CHECKPOINT_MISSING:
    "No data is lost: the run was folded from its log, which takes longer. Check who deletes from the table of checkpoints.",
  CHECKPOINT_UNUSABLE: "No data is lost: the run was folded from its log. Check for workers of different versions.",
  RUN_ISOLATED:
    "Check the step for endless loops, its use of memory and calls of process.exit. It fails if more workers are lost.",
  SIGNALS_UNTAKEN:
    "Check whether the workflow waits for these signals often enough. The run's page lists them; a retry of the run can still take them.",
  CHECKPOINT_LARGE:
    "The message names the largest part. Store data of the run's state in artifacts, or move parts of the run into child runs. Every resume reads the checkpoint.",
};

export function remedyOf(code: string): string {
  return code in ALERTS ? REMEDIES[code as AlertCode] : "See the log of the process that raised it.";
}
