-- oldest-code: 1
-- Processes that share the work of a follower.
CREATE TABLE runledger.feed_members (
  group_name text COLLATE "C" NOT NULL,
  member     text COLLATE "C" NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  PRIMARY KEY (group_name, member)
);

-- Runs at which a projector stopped. Its successor must read them again. There are few, if any.
CREATE INDEX run_snapshots_stale ON runledger.run_snapshots (run_id) WHERE header @> '{"stale": true}';
