-- oldest-code: 11
-- The datasets that completed steps have read and written. Projectors derive both tables from the log (F7).
CREATE TABLE runledger.dataset_uses (
  tenant_id text COLLATE "C" NOT NULL,
  namespace text COLLATE "C" NOT NULL,
  name      text COLLATE "C" NOT NULL,
  is_write  boolean NOT NULL,
  plan_id   text COLLATE "C" NOT NULL,
  step_id   text COLLATE "C" NOT NULL,
  -- The last attempt that used it. NULL if its run was deleted.
  run_id    text COLLATE "C",
  attempt   text COLLATE "C" NOT NULL,
  used_at   timestamptz(3) NOT NULL,
  details   jsonb NOT NULL,
  PRIMARY KEY (tenant_id, namespace, name, is_write, plan_id, step_id)
) WITH (fillfactor = 80);

CREATE INDEX dataset_uses_by_step ON runledger.dataset_uses (tenant_id, plan_id, step_id);
CREATE INDEX dataset_uses_by_run ON runledger.dataset_uses (run_id);

-- Each write, until its run is deleted. A trigger that starts a run for a write is added to `taken`; the keys in run_starts
-- make the start happen once (Q1).
CREATE TABLE runledger.dataset_writes (
  tenant_id   text COLLATE "C" NOT NULL,
  namespace   text COLLATE "C" NOT NULL,
  name        text COLLATE "C" NOT NULL,
  run_id      text COLLATE "C" NOT NULL,
  step_id     text COLLATE "C" NOT NULL,
  attempt     text COLLATE "C" NOT NULL,
  plan_id     text COLLATE "C" NOT NULL,
  written_at  timestamptz(3) NOT NULL,
  recorded_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  details     jsonb NOT NULL,
  taken       text[] COLLATE "C" NOT NULL DEFAULT '{}',
  PRIMARY KEY (run_id, step_id, attempt, namespace, name)
);

CREATE INDEX dataset_writes_by_time ON runledger.dataset_writes (tenant_id, namespace, name, recorded_at);
