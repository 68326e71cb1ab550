-- oldest-code: 1
-- Bytes of runs that do not belong in the log: logs of steps, lists of items, files (C5). Each chunk is a row, so that
-- readers can read an artifact while it is written.
CREATE TABLE runledger.artifacts (
  artifact_id text COLLATE "C" PRIMARY KEY,
  run_id      text COLLATE "C" NOT NULL,
  kind        text NOT NULL,
  step_id     text COLLATE "C",
  attempt     integer,
  created_at  timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  -- All three are NULL while the artifact is being written.
  chunks      integer,
  sha256      text,
  size_bytes  bigint
);

CREATE INDEX artifacts_of_run ON runledger.artifacts (run_id, artifact_id);

CREATE TABLE runledger.artifact_chunks (
  artifact_id text COLLATE "C" NOT NULL,
  chunk       integer NOT NULL,
  bytes       bytea NOT NULL,
  PRIMARY KEY (artifact_id, chunk)
);
