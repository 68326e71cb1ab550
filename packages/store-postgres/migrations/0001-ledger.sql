-- oldest-code: 1
-- The log, its heads, the change feed, projections, checkpoints, leases and the archive.

-- One row per run. Every append locks and advances it (P2). No index covers a column that appends change, so that their
-- updates stay HOT; fillfactor leaves room for them on the page.
-- guard_seq and guard_flags carry the conditions of an append to the row, because ON CONFLICT can only read columns of its
-- table. Their values are never read afterwards.
CREATE TABLE runledger.run_heads (
  run_id       text COLLATE "C" PRIMARY KEY,
  tenant_id    text COLLATE "C" NOT NULL,
  head_seq     bigint NOT NULL,
  persisted_at timestamptz(3) NOT NULL,
  lease_epoch  bigint NOT NULL DEFAULT 0,
  lease_owner  text COLLATE "C",
  archived_at  timestamptz(3),
  guard_seq    bigint,
  guard_flags  smallint
) WITH (fillfactor = 70);

-- Retention reads only runs that are still in the log, no matter how many were archived before.
CREATE INDEX run_heads_in_log ON runledger.run_heads (run_id) WHERE archived_at IS NULL;

-- The log. Partitions are chosen when the schema is created. Only a hash of run_id can enforce the keys (A2).
DO $migration$
DECLARE
  partitions int := coalesce(nullif(current_setting('runledger.partitions', true), '')::int, 0);
BEGIN
  EXECUTE $sql$
    CREATE TABLE runledger.run_events (
      run_id              text COLLATE "C" NOT NULL,
      run_seq             bigint NOT NULL,
      event_id            uuid NOT NULL,
      step_id             text COLLATE "C",
      engine_attempt_id   text COLLATE "C",
      logical_attempt_id  text COLLATE "C" NOT NULL,
      event_type          text COLLATE "C" NOT NULL,
      event_data          jsonb NOT NULL,
      idempotency_key     text COLLATE "C" NOT NULL,
      caused_by_signal_id text COLLATE "C",
      parent_event_id     uuid,
      emitted_at          timestamptz(3) NOT NULL,
      persisted_at        timestamptz(3) NOT NULL,
      adapter_version     text COLLATE "C",
      engine_run_ref      jsonb,
      plan_id             text COLLATE "C",
      plan_version        text COLLATE "C" NOT NULL,
      PRIMARY KEY (run_id, run_seq),
      UNIQUE (run_id, idempotency_key)
    )
  $sql$ || CASE WHEN partitions > 0 THEN ' PARTITION BY HASH (run_id)' ELSE '' END;
  FOR i IN 0 .. partitions - 1 LOOP
    EXECUTE format(
      'CREATE TABLE runledger.run_events_p%s PARTITION OF runledger.run_events FOR VALUES WITH (MODULUS %s, REMAINDER %s)',
      i, partitions, i
    );
  END LOOP;
END
$migration$;

COMMENT ON TABLE runledger.run_events IS 'Append-only event log: the source of truth for all execution state';
COMMENT ON COLUMN runledger.run_events.run_seq IS 'Position in the run, 1 to n without gaps, assigned under the head lock';
COMMENT ON COLUMN runledger.run_events.idempotency_key IS
  'SHA-256 of runId|stepId|logicalAttemptId|eventType|planVersion';

CREATE TABLE runledger.run_events_archive (
  LIKE runledger.run_events INCLUDING COMMENTS,
  PRIMARY KEY (run_id, run_seq),
  UNIQUE (run_id, idempotency_key)
);

-- One row per commit of appends (F8). The id is drawn after the head update, so that a later change of a run has a higher
-- id. Ids become visible out of order, and followers expect that. Rows are read a few times and pruned: compressing them
-- would cost every append more than it saves.
CREATE TABLE runledger.change_feed (
  id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  run_ids   text[] COLLATE "C" NOT NULL,
  head_seqs bigint[] NOT NULL
) WITH (toast_tuple_target = 8160);
ALTER TABLE runledger.change_feed ALTER run_ids SET STORAGE EXTERNAL, ALTER head_seqs SET STORAGE EXTERNAL;

CREATE TABLE runledger.feed_followers (
  follower   text COLLATE "C" PRIMARY KEY,
  version    bigint NOT NULL,
  last_id    bigint NOT NULL,
  -- [{ from, to, xid }]: ids up to last_id that were not visible yet. The transactions that drew them have a lower xid.
  missing    jsonb NOT NULL DEFAULT '[]',
  updated_at timestamptz(3) NOT NULL DEFAULT clock_timestamp()
);

-- Only the latest checkpoint of each run is kept (C3).
CREATE TABLE runledger.checkpoints (
  run_id     text COLLATE "C" PRIMARY KEY,
  seq        bigint NOT NULL,
  format     integer NOT NULL,
  data       text NOT NULL,
  checksum   text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp()
);

-- A projection is a header row and a row per step. Only changed rows are written (F7).
CREATE TABLE runledger.run_snapshots (
  run_id         text COLLATE "C" PRIMARY KEY,
  status         text COLLATE "C" NOT NULL,
  last_event_seq bigint NOT NULL,
  header         jsonb NOT NULL,
  projected_at   timestamptz(3) NOT NULL DEFAULT clock_timestamp()
);

CREATE TABLE runledger.run_steps (
  run_id  text COLLATE "C" NOT NULL,
  ordinal integer NOT NULL,
  step_id text COLLATE "C" NOT NULL,
  step    jsonb NOT NULL,
  PRIMARY KEY (run_id, step_id),
  UNIQUE (run_id, ordinal)
);

-- A worker heartbeats its own row. Its runs can be claimed when the row expires (O1).
CREATE TABLE runledger.workers (
  worker_id  text COLLATE "C" PRIMARY KEY,
  expires_at timestamptz(3) NOT NULL
);
