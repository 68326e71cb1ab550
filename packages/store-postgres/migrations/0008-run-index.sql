-- oldest-code: 1
-- The run index, to find runs. A row is derived from the run's projection, and written and deleted with it.
-- No released version has written projections yet. Existing ones have no row here and are rebuilt from the log.
DELETE FROM runledger.run_steps;
DELETE FROM runledger.run_snapshots;

CREATE TABLE runledger.run_index (
  run_id         text COLLATE "C" PRIMARY KEY,
  -- The tenant of the head. Tenants in events are ignored.
  tenant_id      text COLLATE "C" NOT NULL,
  created_at     timestamptz(3) NOT NULL,
  status         text COLLATE "C" NOT NULL,
  -- Long texts are cut and hashed (index-rows.ts). '' if the run has none.
  plan_id        text COLLATE "C" NOT NULL,
  plan_version   text COLLATE "C" NOT NULL,
  project_id     text COLLATE "C" NOT NULL,
  environment_id text COLLATE "C" NOT NULL,
  labels         text[] COLLATE "C" NOT NULL,
  parent_run_id  text COLLATE "C",
  schedule_id    text COLLATE "C",
  error_text     text,
  -- The fields that a list shows.
  summary        jsonb NOT NULL
);

-- One index for each filter that a list can start with. Lists read them backwards, newest first. Only failed runs have an
-- error, so its text is searched among those.
CREATE INDEX run_index_created ON runledger.run_index (tenant_id, created_at, run_id);
CREATE INDEX run_index_status ON runledger.run_index (tenant_id, status, created_at, run_id);
CREATE INDEX run_index_plan ON runledger.run_index (tenant_id, plan_id, created_at, run_id);
CREATE INDEX run_index_plan_status ON runledger.run_index (tenant_id, plan_id, status, created_at, run_id);
CREATE INDEX run_index_version ON runledger.run_index (tenant_id, plan_id, plan_version, created_at, run_id);
CREATE INDEX run_index_project ON runledger.run_index (tenant_id, project_id, created_at, run_id);
CREATE INDEX run_index_environment ON runledger.run_index (tenant_id, environment_id, created_at, run_id);
CREATE INDEX run_index_parent ON runledger.run_index (tenant_id, parent_run_id, created_at, run_id)
  WHERE parent_run_id IS NOT NULL;
CREATE INDEX run_index_schedule ON runledger.run_index (tenant_id, schedule_id, created_at, run_id)
  WHERE schedule_id IS NOT NULL;

-- A run has many labels, and a list by label is ordered by time too.
CREATE TABLE runledger.run_index_labels (
  tenant_id  text COLLATE "C" NOT NULL,
  label      text COLLATE "C" NOT NULL,
  created_at timestamptz(3) NOT NULL,
  run_id     text COLLATE "C" NOT NULL,
  PRIMARY KEY (tenant_id, label, created_at, run_id)
);

-- Number of runs per status: of all time (`all`, one bucket), and by time of creation.
CREATE TABLE runledger.run_counts (
  tenant_id      text COLLATE "C" NOT NULL,
  level          text COLLATE "C" NOT NULL,
  bucket         timestamptz(3) NOT NULL,
  plan_id        text COLLATE "C" NOT NULL,
  project_id     text COLLATE "C" NOT NULL,
  environment_id text COLLATE "C" NOT NULL,
  status         text COLLATE "C" NOT NULL,
  runs           bigint NOT NULL,
  PRIMARY KEY (tenant_id, level, bucket, plan_id, project_id, environment_id, status)
) WITH (fillfactor = 70);
