-- oldest-code: 1
-- The plans that each worker can run, reported with its heartbeat, to find open runs without a worker (D7, F5).
ALTER TABLE runledger.workers
  ADD plan_ids      text[] COLLATE "C" NOT NULL DEFAULT '{}',
  ADD plan_versions text[] COLLATE "C" NOT NULL DEFAULT '{}',
  ADD log_format    integer NOT NULL DEFAULT 0;

-- Runs of a plan whose log format is above 1. Every worker reads format 1, so such runs need no entry, and claiming and
-- parking them costs as much as before.
CREATE INDEX run_queue_newer_formats ON runledger.run_queue (plan_id, plan_version, log_format) WHERE log_format > 1;
