-- oldest-code: 1
-- Schedules that start runs. Epochs come from one sequence, so that none is used twice.
CREATE SEQUENCE runledger.schedule_epochs;

CREATE TABLE runledger.schedules (
  tenant_id   text COLLATE "C" NOT NULL,
  schedule_id text COLLATE "C" NOT NULL,
  definition  jsonb NOT NULL,
  paused_at   timestamptz(3),
  next_tick   timestamptz(3),
  -- When a scheduler checks it next, NULL if never.
  due_at      timestamptz(3),
  waiting     boolean NOT NULL,
  last        jsonb,
  epoch       bigint NOT NULL DEFAULT nextval('runledger.schedule_epochs'),
  PRIMARY KEY (tenant_id, schedule_id)
);

CREATE INDEX schedules_due ON runledger.schedules (due_at);

-- One run per schedule and time, in any version (Q1). Ticks stay when their schedule is deleted.
CREATE TABLE runledger.schedule_ticks (
  tenant_id   text COLLATE "C" NOT NULL,
  schedule_id text COLLATE "C" NOT NULL,
  tick        timestamptz(3) NOT NULL,
  run_id      text COLLATE "C" NOT NULL,
  PRIMARY KEY (tenant_id, schedule_id, tick)
);
