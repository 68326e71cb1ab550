-- oldest-code: 1
-- What each worker can run, told with its heartbeat: open runs that nobody can go on with are seen (D7, F5).
ALTER TABLE runledger.workers
  ADD plan_ids      text[] COLLATE "C" NOT NULL DEFAULT '{}',
  ADD plan_versions text[] COLLATE "C" NOT NULL DEFAULT '{}',
  ADD log_format    integer NOT NULL DEFAULT 0;

-- Runs whose log is newer than the first format, among those of a plan. Every worker reads the first: such runs need no
-- entry, and claiming and parking them costs what it did.
CREATE INDEX run_queue_newer_formats ON runledger.run_queue (plan_id, plan_version, log_format) WHERE log_format > 1;
