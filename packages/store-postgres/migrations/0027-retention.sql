-- oldest-code: 11
-- Retention policies are data, and `serve` executes them (A5).
CREATE TABLE runledger.retention_policies (
  kind             text COLLATE "C" NOT NULL,
  tenant_id        text COLLATE "C" NOT NULL,
  workflow_id      text COLLATE "C" NOT NULL,
  archive_after_ms bigint,
  delete_after_ms  bigint,
  PRIMARY KEY (kind, tenant_id, workflow_id)
);

-- 0: the run is in the log. 1: it is in the archive. 2: it is set aside until a run that needs it is deleted, or until its
-- damaged log is repaired and its projection rebuilt.
ALTER TABLE runledger.run_index ADD COLUMN retention smallint NOT NULL DEFAULT 0;

-- Finds the oldest finished runs of a workflow. Times are ISO 8601 in UTC, so that their text sorts by time.
CREATE INDEX run_index_finished ON runledger.run_index
  (tenant_id, plan_id, retention, ((summary ->> 'completedAt') COLLATE "C"), run_id)
  WHERE status IN ('COMPLETED', 'FAILED', 'CANCELLED');

-- Finds the forks of a run.
CREATE INDEX run_snapshots_forks ON runledger.run_snapshots ((header #>> '{fork,runId}'))
  WHERE header #>> '{fork,runId}' IS NOT NULL;

-- A deleted run. Its start keys are kept as long as their policy says. Its events and artifacts are removed in small steps
-- until swept_at is set.
CREATE TABLE runledger.deleted_runs (
  run_id        text COLLATE "C" PRIMARY KEY,
  tenant_id     text COLLATE "C" NOT NULL,
  fork_origin   text COLLATE "C",
  deleted_at    timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  swept_at      timestamptz(3)
);
CREATE INDEX deleted_runs_of_tenant ON runledger.deleted_runs (tenant_id, deleted_at, run_id) WHERE swept_at IS NOT NULL;
CREATE INDEX deleted_runs_to_sweep ON runledger.deleted_runs (run_id) WHERE swept_at IS NULL;

CREATE INDEX run_starts_of_run ON runledger.run_starts (run_id);
CREATE INDEX deliveries_dead_since ON runledger.deliveries (number, dead_at) WHERE dead_at IS NOT NULL;
