-- oldest-code: 11
-- The forks of a run, recorded by the transaction that starts them. A fork refers to artifacts of its origin, which is kept as
-- long as the fork (A5). The projection of a fork names the origin as well, but appears later.
CREATE TABLE runledger.run_forks (
  run_id    text COLLATE "C" PRIMARY KEY,
  origin_id text COLLATE "C" NOT NULL
);
CREATE INDEX run_forks_of_origin ON runledger.run_forks (origin_id);
