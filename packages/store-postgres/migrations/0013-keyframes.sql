-- oldest-code: 1
-- Projections as they were, so that a run can be shown as it was known at any seq.
CREATE TABLE runledger.run_keyframes (
  run_id text COLLATE "C" NOT NULL,
  seq    bigint NOT NULL,
  header jsonb NOT NULL,
  steps  jsonb NOT NULL,
  PRIMARY KEY (run_id, seq)
);

-- Counts rebuilds: a projector that remembers the projection before one is refused.
ALTER TABLE runledger.run_snapshots ADD generation integer NOT NULL DEFAULT 0;
