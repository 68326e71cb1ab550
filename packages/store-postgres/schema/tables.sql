CREATE SEQUENCE runledger.schedule_epochs;

CREATE SEQUENCE runledger.subscription_numbers;

CREATE TYPE runledger.claim AS (
  worker text,
  plan_ids text[],
  plan_versions text[],
  format integer,
  at timestamp with time zone,
  room integer,
  dead text[],
  full_to_run text[],
  full_to_start text[],
  capacity runledger.rooms,
  claimed runledger.claimed_run[],
  tenants text[]
);

CREATE TYPE runledger.claimed_run AS (
  run_id text,
  lease_epoch bigint,
  taken_from text,
  head_seq bigint,
  plan_id text,
  plan_version text,
  wakes bigint,
  slot boolean
);

CREATE TYPE runledger.rooms AS (
  scopes text[],
  subjects text[],
  to_run integer[],
  to_begin integer[]
);

CREATE TABLE runledger.access_keys (
  key_id text COLLATE "C" NOT NULL,
  tenant_id text COLLATE "C" NOT NULL,
  role text NOT NULL,
  name text NOT NULL,
  secret_hash text NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT clock_timestamp(),
  created_by text NOT NULL,
  expires_at timestamp(3) with time zone,
  revoked_at timestamp(3) with time zone,
  last_used_at timestamp(3) with time zone,
  CONSTRAINT access_keys_pkey PRIMARY KEY (key_id)
);
CREATE INDEX access_keys_of_tenant ON runledger.access_keys USING btree (tenant_id, key_id);

CREATE TABLE runledger.access_sessions (
  session_hash text COLLATE "C" NOT NULL,
  tenant_id text COLLATE "C" NOT NULL,
  role text NOT NULL,
  name text NOT NULL,
  credential text NOT NULL,
  expires_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT access_sessions_pkey PRIMARY KEY (session_hash)
);
CREATE INDEX access_sessions_expiry ON runledger.access_sessions USING btree (expires_at);

CREATE TABLE runledger.alerts (
  alert_id text COLLATE "C" NOT NULL,
  at timestamp(3) with time zone NOT NULL,
  recorded_at timestamp(3) with time zone NOT NULL DEFAULT clock_timestamp(),
  code text NOT NULL,
  severity text NOT NULL,
  message text NOT NULL,
  process text NOT NULL,
  run_id text COLLATE "C",
  tenant_id text COLLATE "C" NOT NULL,
  CONSTRAINT alerts_pkey PRIMARY KEY (alert_id)
);
CREATE INDEX alerts_by_age ON runledger.alerts USING btree (recorded_at);
CREATE INDEX alerts_by_tenant ON runledger.alerts USING btree (tenant_id, at DESC, alert_id DESC);

CREATE TABLE runledger.artifact_chunks (
  artifact_id text COLLATE "C" NOT NULL,
  chunk integer NOT NULL,
  bytes bytea NOT NULL,
  CONSTRAINT artifact_chunks_pkey PRIMARY KEY (artifact_id, chunk)
);

CREATE TABLE runledger.artifacts (
  artifact_id text COLLATE "C" NOT NULL,
  run_id text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  step_id text COLLATE "C",
  attempt integer,
  created_at timestamp(3) with time zone NOT NULL DEFAULT clock_timestamp(),
  chunks integer,
  sha256 text,
  size_bytes bigint,
  CONSTRAINT artifacts_pkey PRIMARY KEY (artifact_id)
);
CREATE INDEX artifacts_of_run ON runledger.artifacts USING btree (run_id, artifact_id);

CREATE TABLE runledger.audit_chain (
  only_row boolean NOT NULL DEFAULT true,
  base_seq bigint NOT NULL DEFAULT 0,
  base_hash text NOT NULL DEFAULT repeat('0'::text, 64),
  head_seq bigint NOT NULL DEFAULT 0,
  head_hash text NOT NULL DEFAULT repeat('0'::text, 64),
  CONSTRAINT audit_chain_pkey PRIMARY KEY (only_row),
  CONSTRAINT audit_chain_only_row_check CHECK (only_row)
);

CREATE TABLE runledger.audit_log (
  audit_id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  at timestamp(3) with time zone NOT NULL DEFAULT clock_timestamp(),
  tenant_id text COLLATE "C",
  actor text NOT NULL,
  action text NOT NULL,
  target text NOT NULL,
  outcome text NOT NULL,
  code text,
  request_id text NOT NULL,
  address text NOT NULL,
  actor_kind text NOT NULL DEFAULT 'unknown'::text,
  actor_id text,
  key_id text,
  call_count integer NOT NULL DEFAULT 1,
  chain_seq bigint,
  hash text,
  CONSTRAINT audit_log_pkey PRIMARY KEY (audit_id)
);
CREATE INDEX audit_log_of_tenant ON runledger.audit_log USING btree (tenant_id, audit_id);

CREATE TABLE runledger.change_feed (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  run_ids text[] STORAGE EXTERNAL COLLATE "C" NOT NULL,
  head_seqs bigint[] STORAGE EXTERNAL NOT NULL,
  CONSTRAINT change_feed_pkey PRIMARY KEY (id)
) WITH (toast_tuple_target=8160);

CREATE TABLE runledger.checkpoints (
  run_id text COLLATE "C" NOT NULL,
  seq bigint NOT NULL,
  format integer NOT NULL,
  data text NOT NULL,
  checksum text NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT checkpoints_pkey PRIMARY KEY (run_id)
);

CREATE TABLE runledger.dataset_uses (
  tenant_id text COLLATE "C" NOT NULL,
  namespace text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  is_write boolean NOT NULL,
  plan_id text COLLATE "C" NOT NULL,
  step_id text COLLATE "C" NOT NULL,
  run_id text COLLATE "C",
  attempt text COLLATE "C" NOT NULL,
  used_at timestamp(3) with time zone NOT NULL,
  details jsonb NOT NULL,
  CONSTRAINT dataset_uses_pkey PRIMARY KEY (tenant_id, namespace, name, is_write, plan_id, step_id)
) WITH (fillfactor=80);
CREATE INDEX dataset_uses_by_run ON runledger.dataset_uses USING btree (run_id);
CREATE INDEX dataset_uses_by_step ON runledger.dataset_uses USING btree (tenant_id, plan_id, step_id);

CREATE TABLE runledger.dataset_writes (
  tenant_id text COLLATE "C" NOT NULL,
  namespace text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  run_id text COLLATE "C" NOT NULL,
  step_id text COLLATE "C" NOT NULL,
  attempt text COLLATE "C" NOT NULL,
  plan_id text COLLATE "C" NOT NULL,
  written_at timestamp(3) with time zone NOT NULL,
  recorded_at timestamp(3) with time zone NOT NULL DEFAULT clock_timestamp(),
  details jsonb NOT NULL,
  taken text[] COLLATE "C" NOT NULL DEFAULT '{}'::text[],
  CONSTRAINT dataset_writes_pkey PRIMARY KEY (run_id, step_id, attempt, namespace, name)
);
CREATE INDEX dataset_writes_by_time ON runledger.dataset_writes USING btree (tenant_id, namespace, name, recorded_at);

CREATE TABLE runledger.deleted_runs (
  run_id text COLLATE "C" NOT NULL,
  tenant_id text COLLATE "C" NOT NULL,
  fork_origin text COLLATE "C",
  deleted_at timestamp(3) with time zone NOT NULL DEFAULT clock_timestamp(),
  swept_at timestamp(3) with time zone,
  CONSTRAINT deleted_runs_pkey PRIMARY KEY (run_id)
);
CREATE INDEX deleted_runs_of_tenant ON runledger.deleted_runs USING btree (tenant_id, deleted_at, run_id) WHERE (swept_at IS NOT NULL);
CREATE INDEX deleted_runs_to_sweep ON runledger.deleted_runs USING btree (run_id) WHERE (swept_at IS NULL);

CREATE TABLE runledger.deliveries (
  number bigint NOT NULL,
  run_id text COLLATE "C" NOT NULL,
  delivered_seq bigint NOT NULL DEFAULT 0,
  head_seq bigint NOT NULL,
  is_excluded boolean NOT NULL DEFAULT false,
  due_at timestamp(3) with time zone NOT NULL,
  pending_since timestamp(3) with time zone NOT NULL,
  token text COLLATE "C",
  attempts integer NOT NULL DEFAULT 0,
  failed_at timestamp(3) with time zone,
  error text,
  dead_at timestamp(3) with time zone,
  CONSTRAINT deliveries_pkey PRIMARY KEY (number, run_id)
) WITH (fillfactor=70);
CREATE INDEX deliveries_dead ON runledger.deliveries USING btree (number, run_id) WHERE (dead_at IS NOT NULL);
CREATE INDEX deliveries_dead_since ON runledger.deliveries USING btree (number, dead_at) WHERE (dead_at IS NOT NULL);
CREATE INDEX deliveries_due ON runledger.deliveries USING btree (number, due_at) WHERE ((delivered_seq < head_seq) AND (NOT is_excluded) AND (dead_at IS NULL));

CREATE TABLE runledger.expired_artifacts (
  artifact_id text COLLATE "C" NOT NULL,
  run_id text COLLATE "C" NOT NULL,
  uri text COLLATE "C" NOT NULL,
  description jsonb NOT NULL,
  expired_at timestamp(3) with time zone NOT NULL DEFAULT clock_timestamp(),
  swept_at timestamp(3) with time zone,
  CONSTRAINT expired_artifacts_pkey PRIMARY KEY (artifact_id)
);
CREATE INDEX expired_artifacts_of_run ON runledger.expired_artifacts USING btree (run_id, artifact_id);
CREATE INDEX expired_artifacts_to_sweep ON runledger.expired_artifacts USING btree (uri) WHERE (swept_at IS NULL);

CREATE TABLE runledger.feed_followers (
  follower text COLLATE "C" NOT NULL,
  version bigint NOT NULL,
  last_id bigint NOT NULL,
  missing jsonb NOT NULL DEFAULT '[]'::jsonb,
  updated_at timestamp(3) with time zone NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT feed_followers_pkey PRIMARY KEY (follower)
);

CREATE TABLE runledger.feed_members (
  group_name text COLLATE "C" NOT NULL,
  member text COLLATE "C" NOT NULL,
  expires_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT feed_members_pkey PRIMARY KEY (group_name, member)
);

CREATE TABLE runledger.limit_meters (
  scope text COLLATE "C" NOT NULL,
  subject text COLLATE "C" NOT NULL,
  since timestamp with time zone NOT NULL,
  starts double precision NOT NULL,
  CONSTRAINT limit_meters_pkey PRIMARY KEY (scope, subject)
);

CREATE TABLE runledger.limit_places (
  scope text COLLATE "C" NOT NULL,
  subject text COLLATE "C" NOT NULL,
  places integer NOT NULL,
  counted_at timestamp with time zone NOT NULL,
  CONSTRAINT limit_places_pkey PRIMARY KEY (scope, subject)
);

CREATE TABLE runledger.limit_starts (
  scope text COLLATE "C" NOT NULL,
  subject text COLLATE "C" NOT NULL,
  started_at timestamp with time zone NOT NULL,
  run_id text COLLATE "C" NOT NULL
);
CREATE INDEX limit_starts_latest ON runledger.limit_starts USING btree (scope, subject, started_at);

CREATE TABLE runledger.limits (
  scope text COLLATE "C" NOT NULL,
  subject text COLLATE "C" NOT NULL,
  max_running integer,
  rate_starts integer,
  rate_ms bigint,
  max_queued integer,
  priority integer,
  CONSTRAINT limits_pkey PRIMARY KEY (scope, subject)
);

CREATE TABLE runledger.migrations (
  id integer NOT NULL,
  name text NOT NULL,
  oldest_code integer NOT NULL,
  applied_at timestamp(3) with time zone NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT migrations_pkey PRIMARY KEY (id)
);

CREATE TABLE runledger.plans (
  plan_id text COLLATE "C" NOT NULL,
  plan_version text COLLATE "C" NOT NULL,
  hash text COLLATE "C" NOT NULL,
  plan jsonb NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT clock_timestamp(),
  notes jsonb,
  CONSTRAINT plans_pkey PRIMARY KEY (plan_id, plan_version)
);
CREATE INDEX plans_with_source ON runledger.plans USING btree (plan_id, plan_version) WHERE (notes ? 'source'::text);

CREATE TABLE runledger.queue_lanes (
  lane_id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  tenant_id text COLLATE "C" NOT NULL,
  project_id text COLLATE "C" NOT NULL,
  plan_id text COLLATE "C" NOT NULL,
  plan_version text COLLATE "C" NOT NULL,
  log_format integer NOT NULL,
  tenant_priority integer NOT NULL,
  priority integer NOT NULL,
  turn bigint NOT NULL,
  turn_since timestamp with time zone NOT NULL,
  due_at timestamp with time zone NOT NULL,
  has_delayed boolean NOT NULL,
  CONSTRAINT queue_lanes_pkey PRIMARY KEY (lane_id),
  CONSTRAINT queue_lanes_tenant_id_project_id_plan_id_plan_version_log_f_key UNIQUE (tenant_id, project_id, plan_id, plan_version, log_format)
);
CREATE INDEX queue_lanes_turns ON runledger.queue_lanes USING btree (plan_id, plan_version, tenant_priority DESC, turn, turn_since);

CREATE TABLE runledger.queue_turn (
  one boolean NOT NULL DEFAULT true,
  turn bigint NOT NULL,
  last_key text COLLATE "C" NOT NULL DEFAULT ''::text,
  CONSTRAINT queue_turn_pkey PRIMARY KEY (one),
  CONSTRAINT queue_turn_one_check CHECK (one)
);

CREATE TABLE runledger.retention_policies (
  kind text COLLATE "C" NOT NULL,
  tenant_id text COLLATE "C" NOT NULL,
  workflow_id text COLLATE "C" NOT NULL,
  archive_after_ms bigint,
  delete_after_ms bigint,
  CONSTRAINT retention_policies_pkey PRIMARY KEY (kind, tenant_id, workflow_id)
);

CREATE TABLE runledger.run_counts (
  tenant_id text COLLATE "C" NOT NULL,
  level text COLLATE "C" NOT NULL,
  bucket timestamp(3) with time zone NOT NULL,
  plan_id text COLLATE "C" NOT NULL,
  project_id text COLLATE "C" NOT NULL,
  environment_id text COLLATE "C" NOT NULL,
  status text COLLATE "C" NOT NULL,
  runs bigint NOT NULL,
  CONSTRAINT run_counts_pkey PRIMARY KEY (tenant_id, level, bucket, plan_id, project_id, environment_id, status)
) WITH (fillfactor=70);

CREATE TABLE runledger.run_events (
  run_id text COLLATE "C" NOT NULL,
  run_seq bigint NOT NULL,
  event_id uuid NOT NULL,
  step_id text COLLATE "C",
  engine_attempt_id text COLLATE "C",
  logical_attempt_id text COLLATE "C" NOT NULL,
  event_type text COLLATE "C" NOT NULL,
  event_data jsonb NOT NULL,
  idempotency_key text COLLATE "C" NOT NULL,
  caused_by_signal_id text COLLATE "C",
  parent_event_id uuid,
  emitted_at timestamp(3) with time zone NOT NULL,
  persisted_at timestamp(3) with time zone NOT NULL,
  adapter_version text COLLATE "C",
  engine_run_ref jsonb,
  plan_id text COLLATE "C",
  plan_version text COLLATE "C" NOT NULL,
  content_hash bigint,
  erased_hash bigint,
  CONSTRAINT run_events_pkey PRIMARY KEY (run_id, run_seq),
  CONSTRAINT run_events_run_id_idempotency_key_key UNIQUE (run_id, idempotency_key)
);
CREATE INDEX run_events_ends ON runledger.run_events USING btree (event_type, persisted_at) WHERE (event_type = ANY (ARRAY['RunCompleted'::text, 'RunFailed'::text, 'RunCancelled'::text]));
COMMENT ON TABLE runledger.run_events IS 'Append-only event log: the source of truth for all execution state';
COMMENT ON COLUMN runledger.run_events.run_seq IS 'Position in the run, 1 to n without gaps, assigned under the head lock';
COMMENT ON COLUMN runledger.run_events.idempotency_key IS 'SHA-256 of runId|stepId|logicalAttemptId|eventType|planVersion';

CREATE TABLE runledger.run_events_archive (
  run_id text COLLATE "C" NOT NULL,
  run_seq bigint NOT NULL,
  event_id uuid NOT NULL,
  step_id text COLLATE "C",
  engine_attempt_id text COLLATE "C",
  logical_attempt_id text COLLATE "C" NOT NULL,
  event_type text COLLATE "C" NOT NULL,
  event_data jsonb NOT NULL,
  idempotency_key text COLLATE "C" NOT NULL,
  caused_by_signal_id text COLLATE "C",
  parent_event_id uuid,
  emitted_at timestamp(3) with time zone NOT NULL,
  persisted_at timestamp(3) with time zone NOT NULL,
  adapter_version text COLLATE "C",
  engine_run_ref jsonb,
  plan_id text COLLATE "C",
  plan_version text COLLATE "C" NOT NULL,
  content_hash bigint,
  erased_hash bigint,
  CONSTRAINT run_events_archive_pkey PRIMARY KEY (run_id, run_seq),
  CONSTRAINT run_events_archive_run_id_idempotency_key_key UNIQUE (run_id, idempotency_key)
);
COMMENT ON COLUMN runledger.run_events_archive.run_seq IS 'Position in the run, 1 to n without gaps, assigned under the head lock';
COMMENT ON COLUMN runledger.run_events_archive.idempotency_key IS 'SHA-256 of runId|stepId|logicalAttemptId|eventType|planVersion';

CREATE TABLE runledger.run_forks (
  run_id text COLLATE "C" NOT NULL,
  origin_id text COLLATE "C" NOT NULL,
  CONSTRAINT run_forks_pkey PRIMARY KEY (run_id)
);
CREATE INDEX run_forks_of_origin ON runledger.run_forks USING btree (origin_id);

CREATE TABLE runledger.run_heads (
  run_id text COLLATE "C" NOT NULL,
  tenant_id text COLLATE "C" NOT NULL,
  head_seq bigint NOT NULL,
  persisted_at timestamp(3) with time zone NOT NULL,
  lease_epoch bigint NOT NULL DEFAULT 0,
  lease_owner text COLLATE "C",
  archived_at timestamp(3) with time zone,
  guard_seq bigint,
  guard_flags smallint,
  settled_seq bigint,
  artifact_rules text COLLATE "C" NOT NULL DEFAULT ''::text,
  artifacts_at timestamp(3) with time zone,
  CONSTRAINT run_heads_pkey PRIMARY KEY (run_id)
) WITH (fillfactor=70);
CREATE INDEX run_heads_artifacts ON runledger.run_heads USING btree (tenant_id, artifact_rules, artifacts_at, run_id) WHERE (archived_at IS NOT NULL);
CREATE INDEX run_heads_in_log ON runledger.run_heads USING btree (run_id) WHERE (archived_at IS NULL);

CREATE TABLE runledger.run_index (
  run_id text COLLATE "C" NOT NULL,
  tenant_id text COLLATE "C" NOT NULL,
  created_at timestamp(3) with time zone NOT NULL,
  status text COLLATE "C" NOT NULL,
  plan_id text COLLATE "C" NOT NULL,
  plan_version text COLLATE "C" NOT NULL,
  project_id text COLLATE "C" NOT NULL,
  environment_id text COLLATE "C" NOT NULL,
  labels text[] COLLATE "C" NOT NULL,
  parent_run_id text COLLATE "C",
  schedule_id text COLLATE "C",
  error_text text,
  summary jsonb NOT NULL,
  retention smallint NOT NULL DEFAULT 0,
  CONSTRAINT run_index_pkey PRIMARY KEY (run_id)
);
CREATE INDEX run_index_created ON runledger.run_index USING btree (tenant_id, created_at, run_id);
CREATE INDEX run_index_environment ON runledger.run_index USING btree (tenant_id, environment_id, created_at, run_id);
CREATE INDEX run_index_finished ON runledger.run_index USING btree (tenant_id, plan_id, retention, ((summary ->> 'completedAt'::text)) COLLATE "C", run_id) WHERE (status = ANY (ARRAY['COMPLETED'::text, 'FAILED'::text, 'CANCELLED'::text]));
CREATE INDEX run_index_parent ON runledger.run_index USING btree (tenant_id, parent_run_id, created_at, run_id) WHERE (parent_run_id IS NOT NULL);
CREATE INDEX run_index_plan ON runledger.run_index USING btree (tenant_id, plan_id, created_at, run_id);
CREATE INDEX run_index_plan_status ON runledger.run_index USING btree (tenant_id, plan_id, status, created_at, run_id);
CREATE INDEX run_index_project ON runledger.run_index USING btree (tenant_id, project_id, created_at, run_id);
CREATE INDEX run_index_schedule ON runledger.run_index USING btree (tenant_id, schedule_id, created_at, run_id) WHERE (schedule_id IS NOT NULL);
CREATE INDEX run_index_status ON runledger.run_index USING btree (tenant_id, status, created_at, run_id);
CREATE INDEX run_index_version ON runledger.run_index USING btree (tenant_id, plan_id, plan_version, created_at, run_id);

CREATE TABLE runledger.run_index_labels (
  tenant_id text COLLATE "C" NOT NULL,
  label text COLLATE "C" NOT NULL,
  created_at timestamp(3) with time zone NOT NULL,
  run_id text COLLATE "C" NOT NULL,
  CONSTRAINT run_index_labels_pkey PRIMARY KEY (tenant_id, label, created_at, run_id)
);

CREATE TABLE runledger.run_keyframes (
  run_id text COLLATE "C" NOT NULL,
  seq bigint NOT NULL,
  header jsonb NOT NULL,
  steps jsonb NOT NULL,
  CONSTRAINT run_keyframes_pkey PRIMARY KEY (run_id, seq)
);

CREATE TABLE runledger.run_queue (
  run_id text COLLATE "C" NOT NULL,
  plan_id text COLLATE "C" NOT NULL,
  plan_version text COLLATE "C" NOT NULL,
  log_format integer NOT NULL,
  priority integer NOT NULL,
  available_at timestamp with time zone NOT NULL,
  wakes bigint NOT NULL DEFAULT 0,
  owner text COLLATE "C",
  tenant_id text COLLATE "C" NOT NULL,
  project_id text COLLATE "C" NOT NULL,
  concurrency_key text COLLATE "C",
  queued_at timestamp(3) with time zone NOT NULL DEFAULT clock_timestamp(),
  lane_id bigint,
  held boolean NOT NULL DEFAULT false,
  started_at timestamp with time zone,
  slot boolean NOT NULL DEFAULT false,
  acts_at timestamp with time zone,
  CONSTRAINT run_queue_pkey PRIMARY KEY (run_id)
);
CREATE INDEX run_queue_acts ON runledger.run_queue USING btree (acts_at) WHERE ((acts_at IS NOT NULL) AND (owner IS NULL));
CREATE INDEX run_queue_held ON runledger.run_queue USING btree (tenant_id, concurrency_key, priority DESC, available_at) WHERE held;
CREATE INDEX run_queue_keys ON runledger.run_queue USING btree (tenant_id, concurrency_key, ((started_at IS NOT NULL))) WHERE (concurrency_key IS NOT NULL);
CREATE INDEX run_queue_newer_formats ON runledger.run_queue USING btree (plan_id, plan_version, log_format) WHERE (log_format > 1);
CREATE INDEX run_queue_owned ON runledger.run_queue USING btree (owner) WHERE (owner IS NOT NULL);
CREATE INDEX run_queue_queued ON runledger.run_queue USING btree (lane_id, held, priority DESC, available_at, run_id) WHERE (started_at IS NULL);
CREATE INDEX run_queue_running ON runledger.run_queue USING btree (tenant_id, project_id) WHERE slot;
CREATE INDEX run_queue_running_plans ON runledger.run_queue USING btree (plan_id) WHERE slot;
CREATE INDEX run_queue_waiting ON runledger.run_queue USING btree (plan_id, plan_version, ((started_at IS NOT NULL)), available_at) WHERE (owner IS NULL);

CREATE TABLE runledger.run_sequence_registry (
  run_id text COLLATE "C" NOT NULL,
  seq_name text COLLATE "C" NOT NULL,
  made_at timestamp(3) with time zone NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT run_sequence_registry_pkey PRIMARY KEY (run_id),
  CONSTRAINT run_sequence_registry_seq_name_key UNIQUE (seq_name)
);

CREATE TABLE runledger.run_snapshots (
  run_id text COLLATE "C" NOT NULL,
  status text COLLATE "C" NOT NULL,
  last_event_seq bigint NOT NULL,
  header jsonb NOT NULL,
  projected_at timestamp(3) with time zone NOT NULL DEFAULT clock_timestamp(),
  generation integer NOT NULL DEFAULT 0,
  CONSTRAINT run_snapshots_pkey PRIMARY KEY (run_id)
);
CREATE INDEX run_snapshots_forks ON runledger.run_snapshots USING btree (((header #>> '{fork,runId}'::text[]))) WHERE ((header #>> '{fork,runId}'::text[]) IS NOT NULL);
CREATE INDEX run_snapshots_stale ON runledger.run_snapshots USING btree (run_id) WHERE (header @> '{"stale": true}'::jsonb);

CREATE TABLE runledger.run_starts (
  start_key text COLLATE "C" NOT NULL,
  run_id text COLLATE "C" NOT NULL,
  input_hash text COLLATE "C" NOT NULL,
  CONSTRAINT run_starts_pkey PRIMARY KEY (start_key)
);
CREATE INDEX run_starts_of_run ON runledger.run_starts USING btree (run_id);

CREATE TABLE runledger.run_steps (
  run_id text COLLATE "C" NOT NULL,
  ordinal integer NOT NULL,
  step_id text COLLATE "C" NOT NULL,
  step jsonb NOT NULL,
  CONSTRAINT run_steps_pkey PRIMARY KEY (run_id, step_id),
  CONSTRAINT run_steps_run_id_ordinal_key UNIQUE (run_id, ordinal)
);

CREATE TABLE runledger.schedule_ticks (
  tenant_id text COLLATE "C" NOT NULL,
  schedule_id text COLLATE "C" NOT NULL,
  tick timestamp(3) with time zone NOT NULL,
  run_id text COLLATE "C" NOT NULL,
  CONSTRAINT schedule_ticks_pkey PRIMARY KEY (tenant_id, schedule_id, tick)
);
CREATE INDEX schedule_ticks_of_run ON runledger.schedule_ticks USING btree (run_id);

CREATE TABLE runledger.schedules (
  tenant_id text COLLATE "C" NOT NULL,
  schedule_id text COLLATE "C" NOT NULL,
  definition jsonb NOT NULL,
  paused_at timestamp(3) with time zone,
  next_tick timestamp(3) with time zone,
  due_at timestamp(3) with time zone,
  waiting boolean NOT NULL,
  last jsonb,
  epoch bigint NOT NULL DEFAULT nextval('runledger.schedule_epochs'::regclass),
  CONSTRAINT schedules_pkey PRIMARY KEY (tenant_id, schedule_id)
);
CREATE INDEX schedules_due ON runledger.schedules USING btree (due_at);

CREATE TABLE runledger.subscriptions (
  tenant_id text COLLATE "C" NOT NULL,
  subscription_id text COLLATE "C" NOT NULL,
  definition jsonb NOT NULL,
  number bigint NOT NULL DEFAULT nextval('runledger.subscription_numbers'::regclass),
  version integer NOT NULL DEFAULT 1,
  starts_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone NOT NULL DEFAULT clock_timestamp(),
  paused_at timestamp(3) with time zone,
  failures integer NOT NULL DEFAULT 0,
  retry_at timestamp(3) with time zone,
  last_error text,
  last_error_at timestamp(3) with time zone,
  last_delivered_at timestamp(3) with time zone,
  filled_to text COLLATE "C" DEFAULT ''::text,
  CONSTRAINT subscriptions_pkey PRIMARY KEY (tenant_id, subscription_id),
  CONSTRAINT subscriptions_number_key UNIQUE (number)
);

CREATE TABLE runledger.triggers (
  tenant_id text COLLATE "C" NOT NULL,
  trigger_id text COLLATE "C" NOT NULL,
  definition jsonb NOT NULL,
  version integer NOT NULL DEFAULT 1,
  starts_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone NOT NULL DEFAULT clock_timestamp(),
  paused_at timestamp(3) with time zone,
  started bigint NOT NULL DEFAULT 0,
  repeated bigint NOT NULL DEFAULT 0,
  skipped bigint NOT NULL DEFAULT 0,
  rejected bigint NOT NULL DEFAULT 0,
  last_event_at timestamp(3) with time zone,
  last_run_id text COLLATE "C",
  failures integer NOT NULL DEFAULT 0,
  last_error text,
  last_error_at timestamp(3) with time zone,
  rejections jsonb NOT NULL DEFAULT '[]'::jsonb,
  CONSTRAINT triggers_pkey PRIMARY KEY (tenant_id, trigger_id)
) WITH (fillfactor=70);

CREATE TABLE runledger.workers (
  worker_id text COLLATE "C" NOT NULL,
  expires_at timestamp(3) with time zone NOT NULL,
  plan_ids text[] COLLATE "C" NOT NULL DEFAULT '{}'::text[],
  plan_versions text[] COLLATE "C" NOT NULL DEFAULT '{}'::text[],
  log_format integer NOT NULL DEFAULT 0,
  seen_at timestamp(3) with time zone,
  tenants text[],
  last_key text NOT NULL DEFAULT ''::text,
  CONSTRAINT workers_pkey PRIMARY KEY (worker_id)
);
