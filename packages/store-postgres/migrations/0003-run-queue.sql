-- oldest-code: 1
-- Runs that an engine drives: who may claim them, and when. Lease and epoch are the head's; `owner` repeats the lease's
-- for the indexes below.
CREATE TABLE runledger.run_queue (
  run_id       text COLLATE "C" PRIMARY KEY,
  plan_id      text COLLATE "C" NOT NULL,
  plan_version text COLLATE "C" NOT NULL,
  log_format   integer NOT NULL,
  priority     integer NOT NULL,
  -- When it is due; infinity = when somebody wakes it. Nobody looks at it while the run is owned.
  available_at timestamptz NOT NULL,
  -- How often somebody woke it: an owner that parks says how many it has seen, so that none is lost.
  wakes        bigint NOT NULL DEFAULT 0,
  owner        text COLLATE "C"
);

CREATE INDEX run_queue_due ON runledger.run_queue (plan_id, plan_version, priority DESC, available_at) WHERE owner IS NULL;
CREATE INDEX run_queue_owned ON runledger.run_queue (owner) WHERE owner IS NOT NULL;

-- The same request starts one run (Q1).
CREATE TABLE runledger.run_starts (
  start_key  text COLLATE "C" PRIMARY KEY,
  run_id     text COLLATE "C" NOT NULL,
  input_hash text COLLATE "C" NOT NULL
);
