-- oldest-code: 1
-- Finding runs. A row says what the run's projection says, and is written and thrown away with it.
-- Nothing released has written projections yet; what is there has no row here, and is rebuilt from the log.
DELETE FROM runledger.run_steps;
DELETE FROM runledger.run_snapshots;

CREATE TABLE runledger.run_index (
  run_id         text COLLATE "C" PRIMARY KEY,
  -- The head's: what an event says of its tenant decides nothing.
  tenant_id      text COLLATE "C" NOT NULL,
  created_at     timestamptz(3) NOT NULL,
  status         text COLLATE "C" NOT NULL,
  -- Texts of unknown length are cut and hashed (index-rows.ts); '' = the run has none.
  plan_id        text COLLATE "C" NOT NULL,
  plan_version   text COLLATE "C" NOT NULL,
  project_id     text COLLATE "C" NOT NULL,
  environment_id text COLLATE "C" NOT NULL,
  labels         text[] COLLATE "C" NOT NULL,
  parent_run_id  text COLLATE "C",
  schedule_id    text COLLATE "C",
  error_text     text,
  -- What a list shows.
  summary        jsonb NOT NULL
);

-- One for each question that a list may begin with; lists walk them backwards, newest first. A run with an error has
-- failed: its text is looked for among those.
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

-- A run has many labels, and a list by one of them is in the order of time too.
CREATE TABLE runledger.run_index_labels (
  tenant_id  text COLLATE "C" NOT NULL,
  label      text COLLATE "C" NOT NULL,
  created_at timestamptz(3) NOT NULL,
  run_id     text COLLATE "C" NOT NULL,
  PRIMARY KEY (tenant_id, label, created_at, run_id)
);

-- How many runs there are of each status: of all times (`all`, one bucket), and by when they were created.
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
