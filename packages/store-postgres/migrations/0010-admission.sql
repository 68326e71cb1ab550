-- oldest-code: 10
-- Limits, and a queue that enforces them. Usage is read from the rows of the queue: there is no counter that could stay
-- behind when a worker dies.
CREATE TABLE runledger.limits (
  scope       text COLLATE "C" NOT NULL,
  -- '*' applies to every subject of the scope without its own limit.
  subject     text COLLATE "C" NOT NULL,
  max_running integer,
  rate_starts integer,
  rate_ms     bigint,
  max_queued  integer,
  priority    integer,
  PRIMARY KEY (scope, subject)
);

-- Starts of runs that a rate limit counts. Older ones are deleted.
CREATE TABLE runledger.limit_starts (
  scope      text COLLATE "C" NOT NULL,
  subject    text COLLATE "C" NOT NULL,
  started_at timestamptz NOT NULL,
  run_id     text COLLATE "C" NOT NULL
);
CREATE INDEX limit_starts_latest ON runledger.limit_starts (scope, subject, started_at);

-- How many more runs can be queued for certain. Only starts reduce it, under the row's lock. At 0 the rows are counted.
CREATE TABLE runledger.limit_places (
  scope      text COLLATE "C" NOT NULL,
  subject    text COLLATE "C" NOT NULL,
  places     integer NOT NULL,
  counted_at timestamptz NOT NULL,
  PRIMARY KEY (scope, subject)
);

-- The recent rate of starts: `starts` since `since`. The weight of older starts decreases.
CREATE TABLE runledger.limit_meters (
  scope   text COLLATE "C" NOT NULL,
  subject text COLLATE "C" NOT NULL,
  since   timestamptz NOT NULL,
  starts  double precision NOT NULL,
  PRIMARY KEY (scope, subject)
);

-- Lanes of queued runs that all limits treat alike, except for concurrency keys. A lane exists while it has runs. Tenants
-- take turns: `turn` is the same in all lanes of a tenant. The lowest turn comes first, among equals the oldest.
CREATE TABLE runledger.queue_lanes (
  lane_id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant_id       text COLLATE "C" NOT NULL,
  project_id      text COLLATE "C" NOT NULL,
  plan_id         text COLLATE "C" NOT NULL,
  plan_version    text COLLATE "C" NOT NULL,
  log_format      integer NOT NULL,
  -- Priorities from limits: of the tenant, and the sum of project and workflow.
  tenant_priority integer NOT NULL,
  priority        integer NOT NULL,
  turn            bigint NOT NULL,
  turn_since      timestamptz NOT NULL,
  -- No run of the lane is due before.
  due_at          timestamptz NOT NULL,
  -- True if a run was not due when it was queued: a claim must search for due runs.
  has_delayed     boolean NOT NULL,
  UNIQUE (tenant_id, project_id, plan_id, plan_version, log_format)
);
CREATE INDEX queue_lanes_turns
  ON runledger.queue_lanes (plan_id, plan_version, tenant_priority DESC, turn, turn_since);

-- The turn that was served last. A new tenant gets the next one.
CREATE TABLE runledger.queue_turn (
  one      boolean PRIMARY KEY DEFAULT true CHECK (one),
  turn     bigint NOT NULL,
  -- The concurrency key that was checked last, if there are too many to check them all.
  last_key text COLLATE "C" NOT NULL DEFAULT ''
);

ALTER TABLE runledger.run_queue
  ADD tenant_id text COLLATE "C",
  ADD project_id text COLLATE "C",
  ADD concurrency_key text COLLATE "C",
  ADD queued_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  ADD lane_id bigint,
  -- True if the run is due and other runs have its concurrency key.
  ADD held boolean NOT NULL DEFAULT false,
  -- When the run first got a slot. From then on it has its concurrency key.
  ADD started_at timestamptz,
  -- True if the run is owned and counts as running.
  ADD slot boolean NOT NULL DEFAULT false,
  -- When an operator's action arrived that has no answer yet.
  ADD acts_at timestamptz;

-- Opens the lane of a run that is queued for `at`, and keeps it open until the caller's transaction commits: closing a
-- lane requires its lock and a second search for runs in it.
CREATE FUNCTION runledger.open_lane(tenant text, project text, plan text, version text, format integer, at timestamptz)
RETURNS bigint
LANGUAGE plpgsql VOLATILE
SET enable_seqscan = off -- its plans are cached, and made when there were few lanes
AS $function$
DECLARE
  lane runledger.queue_lanes;
BEGIN
  LOOP
    SELECT * INTO lane FROM runledger.queue_lanes l
    WHERE l.tenant_id = tenant AND l.project_id = project AND l.plan_id = plan AND l.plan_version = version
      AND l.log_format = format
    FOR KEY SHARE;
    EXIT WHEN FOUND;
    LOCK TABLE runledger.limits IN ROW SHARE MODE; -- a change of priority updates all lanes
    INSERT INTO runledger.queue_lanes (tenant_id, project_id, plan_id, plan_version, log_format, tenant_priority,
      priority, turn, turn_since, due_at, has_delayed)
    VALUES (tenant, project, plan, version, format, runledger.limit_priority('tenant', tenant),
      runledger.limit_priority('project', tenant || '|' || project) + runledger.limit_priority('workflow', plan),
      coalesce(
        (SELECT l.turn FROM runledger.queue_lanes l WHERE l.tenant_id = tenant LIMIT 1),
        (SELECT t.turn FROM runledger.queue_turn t) + 1,
        1),
      clock_timestamp(), at, at > clock_timestamp())
    ON CONFLICT DO NOTHING;
  END LOOP;
  IF lane.due_at > at OR (at > clock_timestamp() AND NOT lane.has_delayed) THEN
    UPDATE runledger.queue_lanes l
    SET due_at = least(l.due_at, at), has_delayed = l.has_delayed OR at > clock_timestamp()
    WHERE l.lane_id = lane.lane_id;
  END IF;
  RETURN lane.lane_id;
END
$function$;

CREATE FUNCTION runledger.limit_priority(for_scope text, for_subject text) RETURNS integer
LANGUAGE sql STABLE
RETURN coalesce((
  SELECT l.priority FROM runledger.limits l WHERE l.scope = for_scope AND l.subject IN (for_subject, '*')
  ORDER BY l.subject = '*' LIMIT 1
), 0);

UPDATE runledger.run_queue q
SET tenant_id = h.tenant_id,
  project_id = coalesce(e.event_data ->> 'projectId', 'default'),
  concurrency_key = e.event_data ->> 'concurrencyKey',
  started_at = CASE WHEN h.lease_epoch > 0 THEN q.queued_at END,
  slot = q.owner IS NOT NULL
FROM runledger.run_heads h
LEFT JOIN runledger.run_events e ON e.run_id = h.run_id AND e.run_seq = 1
WHERE h.run_id = q.run_id;

UPDATE runledger.run_queue
SET lane_id = runledger.open_lane(tenant_id, project_id, plan_id, plan_version, log_format, available_at)
WHERE started_at IS NULL;

ALTER TABLE runledger.run_queue ALTER tenant_id SET NOT NULL, ALTER project_id SET NOT NULL;

DROP INDEX runledger.run_queue_due;
-- Runs that have not started, in the order of their lane.
CREATE INDEX run_queue_queued ON runledger.run_queue (lane_id, held, priority DESC, available_at, run_id)
  WHERE started_at IS NULL;
-- Runs without an owner by plan, started or not.
CREATE INDEX run_queue_waiting ON runledger.run_queue (plan_id, plan_version, (started_at IS NOT NULL), available_at)
  WHERE owner IS NULL;
CREATE INDEX run_queue_acts ON runledger.run_queue (acts_at) WHERE acts_at IS NOT NULL AND owner IS NULL;
CREATE INDEX run_queue_running ON runledger.run_queue (tenant_id, project_id) WHERE slot;
CREATE INDEX run_queue_running_plans ON runledger.run_queue (plan_id) WHERE slot;
CREATE INDEX run_queue_keys ON runledger.run_queue (tenant_id, concurrency_key, (started_at IS NOT NULL))
  WHERE concurrency_key IS NOT NULL;
CREATE INDEX run_queue_held ON runledger.run_queue (tenant_id, concurrency_key, priority DESC, available_at) WHERE held;
