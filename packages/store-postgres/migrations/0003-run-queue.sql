-- oldest-code: 1
-- Runs that an engine executes, and when they can be claimed. Lease and epoch are in the head; `owner` repeats the lease
-- owner for the indexes below.
CREATE TABLE runledger.run_queue (
  run_id       text COLLATE "C" PRIMARY KEY,
  plan_id      text COLLATE "C" NOT NULL,
  plan_version text COLLATE "C" NOT NULL,
  log_format   integer NOT NULL,
  priority     integer NOT NULL,
  -- When the run is due, infinity if it waits for a wake-up. Ignored while the run is owned.
  available_at timestamptz NOT NULL,
  -- Number of wake-ups. An owner that parks the run passes the number it has seen, so that none is lost.
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
