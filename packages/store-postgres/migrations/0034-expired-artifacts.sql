-- oldest-code: 11
-- Artifacts whose content was deleted by a policy (A8). The description stays as long as the run, also of artifacts in a folder
-- or a bucket, which have no other row.
CREATE TABLE runledger.expired_artifacts (
  artifact_id text COLLATE "C" PRIMARY KEY,
  run_id      text COLLATE "C" NOT NULL,
  uri         text COLLATE "C" NOT NULL,
  description jsonb NOT NULL,
  expired_at  timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  -- NULL until the content is removed.
  swept_at    timestamptz(3)
);
CREATE INDEX expired_artifacts_of_run ON runledger.expired_artifacts (run_id, artifact_id);
CREATE INDEX expired_artifacts_to_sweep ON runledger.expired_artifacts (uri) WHERE swept_at IS NULL;

-- The policies under which the artifacts of an archived run were checked, and when to check them again. Empty: never checked.
ALTER TABLE runledger.run_heads
  ADD COLUMN artifact_rules text COLLATE "C" NOT NULL DEFAULT '',
  ADD COLUMN artifacts_at timestamptz(3);
CREATE INDEX run_heads_artifacts ON runledger.run_heads (tenant_id, artifact_rules, artifacts_at, run_id)
  WHERE archived_at IS NOT NULL;
