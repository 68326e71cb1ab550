-- oldest-code: 1
-- Earlier projections, so that a run can be shown as of any seq.
CREATE TABLE runledger.run_keyframes (
  run_id text COLLATE "C" NOT NULL,
  seq    bigint NOT NULL,
  header jsonb NOT NULL,
  steps  jsonb NOT NULL,
  PRIMARY KEY (run_id, seq)
);

-- Counts rebuilds. A save that is based on the projection before a rebuild is refused.
ALTER TABLE runledger.run_snapshots ADD generation integer NOT NULL DEFAULT 0;
