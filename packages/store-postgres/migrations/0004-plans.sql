-- oldest-code: 1
-- Published plans. The content of an id and a version never changes (D7).
CREATE TABLE runledger.plans (
  plan_id      text COLLATE "C" NOT NULL,
  plan_version text COLLATE "C" NOT NULL,
  hash         text COLLATE "C" NOT NULL,
  plan         jsonb NOT NULL,
  created_at   timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (plan_id, plan_version)
);
