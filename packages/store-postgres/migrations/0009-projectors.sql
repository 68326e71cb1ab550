-- oldest-code: 1
-- Processes that share a follower's work out between them.
CREATE TABLE runledger.feed_members (
  group_name text COLLATE "C" NOT NULL,
  member     text COLLATE "C" NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  PRIMARY KEY (group_name, member)
);

-- Runs that a projector stopped in front of: whoever takes over must come back to them. There are few, or none.
CREATE INDEX run_snapshots_stale ON runledger.run_snapshots (run_id) WHERE header @> '{"stale": true}';
