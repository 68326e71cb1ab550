-- oldest-code: 1
-- Runs that an engine drives: who may claim them, and when. Lease and epoch are the head's; `owner` repeats the lease's
-- for the indexes below.
CREATE TABLE runledger.run_queue (
  run_id       text COLLATE "C" PRIMARY KEY,
  plan_id      text COLLATE "C" NOT NULL,
  plan_version text COLLATE "C" NOT NULL,
  log_format   integer NOT NULL,
  priority     integer NOT NULL,
  -- While nobody owns the run: when it is due; infinity = when somebody wakes it. While somebody does: infinity, until
  -- somebody wakes it.
  available_at timestamptz NOT NULL,
  owner        text COLLATE "C"
);

CREATE INDEX run_queue_due ON runledger.run_queue (plan_id, plan_version, priority DESC, available_at) WHERE owner IS NULL;
CREATE INDEX run_queue_owned ON runledger.run_queue (owner, available_at) WHERE owner IS NOT NULL;

-- The same request starts one run (Q1).
CREATE TABLE runledger.run_starts (
  start_key  text COLLATE "C" PRIMARY KEY,
  run_id     text COLLATE "C" NOT NULL,
  input_hash text COLLATE "C" NOT NULL
);
