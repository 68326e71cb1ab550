-- oldest-code: 11
-- Triggers start a run for each event of a source. The keys in run_starts make an event start one run (Q1); this table only
-- has the definitions, counters and last errors.
CREATE TABLE runledger.triggers (
  tenant_id     text COLLATE "C" NOT NULL,
  trigger_id    text COLLATE "C" NOT NULL,
  definition    jsonb NOT NULL,
  version       integer NOT NULL DEFAULT 1,
  starts_at     timestamptz(3),
  created_at    timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  paused_at     timestamptz(3),
  started       bigint NOT NULL DEFAULT 0,
  repeated      bigint NOT NULL DEFAULT 0,
  skipped       bigint NOT NULL DEFAULT 0,
  rejected      bigint NOT NULL DEFAULT 0,
  last_event_at timestamptz(3),
  last_run_id   text COLLATE "C",
  failures      integer NOT NULL DEFAULT 0,
  last_error    text,
  last_error_at timestamptz(3),
  -- The last rejected events, newest first.
  rejections    jsonb NOT NULL DEFAULT '[]',
  PRIMARY KEY (tenant_id, trigger_id)
) WITH (fillfactor = 70);
