-- oldest-code: 11
-- Splits claim_runs into one function per phase: take over lost runs, resume due runs, answer operators, start queued
-- runs. Choices and locks are the same as in 0011-claim-runs.sql, in the same order (P8).
--
-- Workers of the previous version call claim_runs and ends_matter, and a claim that waits for a lock during this migration
-- continues in the old body of claim_runs. For them, ends_matter, note_begins and rest_lane stay for one release.

-- A run as claim_runs returns it.
CREATE TYPE runledger.claimed_run AS (
  run_id text, lease_epoch bigint, taken_from text, head_seq bigint, plan_id text, plan_version text, wakes bigint,
  slot boolean
);

-- A claim in progress. Each phase receives it from the phase before, changes it and returns it.
CREATE TYPE runledger.claim AS (
  worker text,
  plan_ids text[], -- plans that the worker can run, with their versions at the same positions
  plan_versions text[],
  format integer, -- the newest log format that the worker can read
  at timestamptz, -- the time of the claim
  room integer, -- how many more runs the worker accepts
  dead text[], -- owners of runs that are no longer alive
  full_to_run text[], -- 'scope|subject' of limits without capacity for a run that resumes
  full_to_start text[], -- and of those without capacity for a run that starts
  capacity runledger.rooms, -- capacity that limits still allow, for the subjects that this claim has read
  claimed runledger.claimed_run[]
);

-- Deletes a lane without runs. Moves due_at of a lane without due runs to its next due time. Both happen only under the
-- lane's lock, which excludes starts that add a run, and read the queue after the lock is held. A lane that another
-- transaction has locked stays as it is.
CREATE FUNCTION runledger.close_or_delay_lane(in_lane bigint, at timestamptz) RETURNS void
LANGUAGE plpgsql VOLATILE
AS $function$
DECLARE
  next_due timestamptz := 'infinity';
  level integer := 2147483647;
  first_at timestamptz;
BEGIN
  IF EXISTS (SELECT FROM runledger.lane_heads(in_lane, at, '{}', 1)) THEN RETURN; END IF;
  PERFORM FROM runledger.queue_lanes l WHERE l.lane_id = in_lane FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN RETURN; END IF;
  IF NOT EXISTS (SELECT FROM runledger.run_queue q WHERE q.lane_id = in_lane AND q.started_at IS NULL) THEN
    DELETE FROM runledger.queue_lanes l WHERE l.lane_id = in_lane;
    RETURN;
  END IF;
  LOOP
    SELECT q.priority, q.available_at INTO level, first_at FROM runledger.run_queue q
    WHERE q.lane_id = in_lane AND NOT q.held AND q.started_at IS NULL AND q.priority <= level
    ORDER BY q.priority DESC, q.available_at LIMIT 1;
    EXIT WHEN NOT FOUND;
    next_due := least(next_due, first_at);
    EXIT WHEN next_due <= at;
    level := level - 1;
  END LOOP;
  UPDATE runledger.queue_lanes l SET due_at = next_due WHERE l.lane_id = in_lane AND l.due_at < next_due;
END
$function$;

-- Records that runs started: in the rate and the meter of every limit that counts them, and in the turns of their
-- tenants. Then settles lanes whose other runs are all held, or that have none: claims look only at lanes that are due,
-- and such a lane is not.
CREATE FUNCTION runledger.record_starts(started text[], served bigint, at timestamptz) RETURNS void
LANGUAGE plpgsql VOLATILE
AS $function$
DECLARE
  scopes text[] := ARRAY(SELECT DISTINCT l.scope FROM runledger.limits l) || 'overall'::text;
  lane bigint;
BEGIN
  WITH counted AS (
    SELECT q.run_id, s.scope, s.subject, l.rate_starts, l.rate_ms
    FROM runledger.run_queue q
    CROSS JOIN LATERAL (VALUES
      ('overall', ''), ('tenant', q.tenant_id), ('project', q.tenant_id || '|' || q.project_id), ('workflow', q.plan_id),
      ('concurrencyKey', q.tenant_id || '|' || q.concurrency_key)
    ) AS s (scope, subject)
    LEFT JOIN LATERAL runledger.limit_for(s.scope, s.subject) AS l ON true
    WHERE q.run_id = ANY (started) AND s.scope = ANY (scopes) AND s.subject IS NOT NULL
      AND (l.scope IS NOT NULL OR s.scope = 'overall')
  ),
  rated AS (
    INSERT INTO runledger.limit_starts (scope, subject, started_at, run_id)
    SELECT c.scope, c.subject, at, c.run_id FROM counted c WHERE c.rate_starts IS NOT NULL
  ),
  outdated AS (
    DELETE FROM runledger.limit_starts s USING (
      SELECT DISTINCT c.scope, c.subject, c.rate_ms FROM counted c WHERE c.rate_starts IS NOT NULL
    ) AS c
    WHERE s.scope = c.scope AND s.subject = c.subject AND s.started_at <= at - c.rate_ms * interval '1 millisecond'
  )
  INSERT INTO runledger.limit_meters AS m (scope, subject, since, starts)
  SELECT c.scope, c.subject, at, count(*) FROM counted c GROUP BY c.scope, c.subject
  ON CONFLICT (scope, subject) DO UPDATE
    SET since = greatest(m.since, at - interval '30 seconds'),
      starts = EXCLUDED.starts + m.starts * least(1, 30 / greatest(0.001, extract(epoch FROM at - m.since)));

  WITH turns AS (
    SELECT q.tenant_id, count(*) AS runs FROM runledger.run_queue q WHERE q.run_id = ANY (started) GROUP BY q.tenant_id
  ),
  lanes AS (
    SELECT l.lane_id, greatest(l.turn, served) + t.runs AS next
    FROM turns t JOIN runledger.queue_lanes l ON l.tenant_id = t.tenant_id
    ORDER BY l.lane_id FOR NO KEY UPDATE OF l SKIP LOCKED
  ),
  advanced AS (
    UPDATE runledger.queue_lanes l SET turn = s.next, turn_since = at FROM lanes s WHERE l.lane_id = s.lane_id
  )
  INSERT INTO runledger.queue_turn AS t (turn)
  SELECT greatest(served, max(s.next) - 1) FROM lanes s HAVING max(s.next) > 0
  ON CONFLICT (one) DO UPDATE SET turn = EXCLUDED.turn;

  FOR lane IN
    SELECT DISTINCT l.lane_id FROM runledger.run_queue q JOIN runledger.queue_lanes l ON l.lane_id = q.lane_id
    WHERE q.run_id = ANY (started) AND l.due_at = 'infinity'
  LOOP
    PERFORM runledger.close_or_delay_lane(lane, at);
  END LOOP;
END
$function$;

-- Phase 1. Claims runs whose owner is no longer alive. Such a run keeps its slot. Runs of plans that this worker does not
-- know are released, so that a worker that knows them can claim them.
CREATE FUNCTION runledger.take_over_lost_runs(claim runledger.claim) RETURNS runledger.claim
LANGUAGE plpgsql VOLATILE
AS $function$
DECLARE
  taken runledger.claimed_run[];
BEGIN
  PERFORM runledger.free_runs(claim.dead, claim.plan_ids, claim.plan_versions, claim.at);
  taken := ARRAY(
    SELECT ROW(t.*)::runledger.claimed_run FROM runledger.take_runs(claim.worker, ARRAY(
      SELECT q.run_id FROM runledger.run_queue q
      WHERE q.owner = ANY (claim.dead) AND q.log_format <= claim.format
        AND (q.plan_id, q.plan_version) IN (SELECT * FROM unnest(claim.plan_ids, claim.plan_versions))
      LIMIT claim.room
    ), claim.dead, NULL, false, claim.at) AS t
  );
  claim.room := claim.room - cardinality(taken);
  claim.claimed := claim.claimed || taken;
  RETURN claim;
END
$function$;

-- Phase 2. Claims runs that have started and are due again, in the order in which they became due. A round whose
-- candidates met a full limit is followed by another one that leaves out what is full.
CREATE FUNCTION runledger.resume_due_runs(claim runledger.claim) RETURNS runledger.claim
LANGUAGE plpgsql VOLATILE
AS $function$
DECLARE
  capacity runledger.rooms := claim.capacity;
  candidate record;
  verdict record;
  chosen text[] := '{}';
  met_full_limit boolean;
BEGIN
  FOR round IN 1 .. 5 LOOP
    EXIT WHEN claim.room <= 0 OR 'overall|' = ANY (claim.full_to_run);
    met_full_limit := false;
    FOR candidate IN
      SELECT r.* FROM unnest(claim.plan_ids, claim.plan_versions) AS p (plan_id, plan_version)
      CROSS JOIN LATERAL (
        SELECT q.run_id, q.tenant_id, q.project_id, q.plan_id, q.available_at FROM runledger.run_queue q
        WHERE q.plan_id = p.plan_id AND q.plan_version = p.plan_version AND q.started_at IS NOT NULL AND q.owner IS NULL
          AND q.available_at <= claim.at AND q.log_format <= claim.format AND q.run_id <> ALL (chosen)
          AND 'tenant|' || q.tenant_id <> ALL (claim.full_to_run)
          AND 'workflow|' || q.plan_id <> ALL (claim.full_to_run)
          AND 'project|' || q.tenant_id || '|' || q.project_id <> ALL (claim.full_to_run)
        ORDER BY q.available_at LIMIT claim.room
      ) AS r
      ORDER BY r.available_at LIMIT claim.room
    LOOP
      verdict := runledger.admit(capacity, ARRAY['overall|', 'tenant|' || candidate.tenant_id,
        'project|' || candidate.tenant_id || '|' || candidate.project_id, 'workflow|' || candidate.plan_id],
        false, claim.at);
      capacity := verdict.rooms;
      IF verdict.missing <> '{}' THEN
        met_full_limit := true;
        claim.full_to_run := claim.full_to_run || verdict.missing;
        claim.full_to_start := claim.full_to_start || verdict.missing;
      ELSE
        chosen := chosen || candidate.run_id;
        claim.room := claim.room - 1;
      END IF;
    END LOOP;
    EXIT WHEN NOT met_full_limit;
  END LOOP;
  claim.capacity := capacity;
  IF chosen <> '{}' THEN
    claim.claimed := claim.claimed || ARRAY(
      SELECT ROW(t.*)::runledger.claimed_run
      FROM runledger.take_runs(claim.worker, chosen, claim.dead, true, false, claim.at) AS t
    );
  END IF;
  RETURN claim;
END
$function$;

-- Phase 3. Claims runs with an operator's action that has no answer yet, outside all limits and without a slot (Q2). A run
-- that phase 2 has claimed keeps the slot that it got there.
CREATE FUNCTION runledger.answer_operators(claim runledger.claim) RETURNS runledger.claim
LANGUAGE plpgsql VOLATILE
AS $function$
BEGIN
  claim.claimed := claim.claimed || ARRAY(
    SELECT ROW(t.*)::runledger.claimed_run FROM runledger.take_runs(claim.worker, ARRAY(
      SELECT q.run_id FROM runledger.run_queue q
      WHERE q.acts_at <= claim.at AND q.owner IS NULL AND q.log_format <= claim.format
        AND (q.plan_id, q.plan_version) IN (SELECT * FROM unnest(claim.plan_ids, claim.plan_versions))
      LIMIT 20
    ), '{}', false, false, claim.at) AS t
  );
  RETURN claim;
END
$function$;

-- Chooses due lanes of the tenants whose turn is next. `share` is how many runs a lane offers at most, so that the
-- worker's room is divided among these tenants.
CREATE FUNCTION runledger.next_lanes(claim runledger.claim, spent bigint[], OUT lanes bigint[], OUT share integer)
LANGUAGE plpgsql STABLE
AS $function$
DECLARE
  tenants text[] := ARRAY(
    SELECT l.tenant_id FROM unnest(claim.plan_ids, claim.plan_versions) AS p (plan_id, plan_version)
    CROSS JOIN LATERAL (
      SELECT a.tenant_id, a.tenant_priority, a.turn, a.turn_since FROM runledger.queue_lanes a
      WHERE a.plan_id = p.plan_id AND a.plan_version = p.plan_version AND a.due_at <= claim.at
        AND a.log_format <= claim.format AND 'tenant|' || a.tenant_id <> ALL (claim.full_to_start)
        AND 'workflow|' || a.plan_id <> ALL (claim.full_to_start)
        AND 'project|' || a.tenant_id || '|' || a.project_id <> ALL (claim.full_to_start)
        AND a.lane_id <> ALL (spent)
      ORDER BY a.tenant_priority DESC, a.turn, a.turn_since LIMIT claim.room
    ) AS l
    ORDER BY l.tenant_priority DESC, l.turn, l.turn_since LIMIT claim.room
  );
BEGIN
  lanes := '{}';
  IF tenants = '{}' THEN RETURN; END IF;
  lanes := ARRAY(
    SELECT a.lane_id FROM runledger.queue_lanes a
    WHERE a.tenant_id = ANY (tenants) AND a.due_at <= claim.at AND a.log_format <= claim.format
      AND a.lane_id <> ALL (spent)
      AND (a.plan_id, a.plan_version) IN (SELECT * FROM unnest(claim.plan_ids, claim.plan_versions))
      AND 'workflow|' || a.plan_id <> ALL (claim.full_to_start)
      AND 'project|' || a.tenant_id || '|' || a.project_id <> ALL (claim.full_to_start)
    ORDER BY a.turn, a.priority DESC, a.lane_id LIMIT 200
  );
  SELECT ceil(claim.room::numeric / count(DISTINCT t.id)) INTO share FROM unnest(tenants) AS t (id);
END
$function$;

-- The first runs of these lanes, and runs whose concurrency key has become free, in the order in which they may start:
-- tenants in turn, of each the run with the highest priority first. A tenant's second and later runs in this claim use
-- turns of their own. A tenant that could not be served for long is ahead by one run, not by all the runs it missed.
CREATE FUNCTION runledger.queued_candidates(
  claim runledger.claim, lanes bigint[], share integer, unheld text[], seen text[], served bigint
)
RETURNS TABLE (lane_id bigint, run_id text, tenant_id text, project_id text, plan_id text, concurrency_key text)
LANGUAGE plpgsql STABLE ROWS 20
AS $function$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  WITH heads AS (
    SELECT l.lane_id, h.run_id, h.concurrency_key, h.available_at, l.priority + h.priority AS priority, l.tenant_id,
      l.project_id, l.plan_id, l.tenant_priority, l.turn, l.turn_since
    FROM runledger.queue_lanes l CROSS JOIN LATERAL (
      SELECT q.run_id, q.priority, q.available_at, q.concurrency_key FROM runledger.run_queue q
      WHERE q.lane_id = l.lane_id AND NOT q.held AND q.started_at IS NULL AND q.owner IS NULL
        AND q.available_at <= claim.at AND q.run_id <> ALL (seen)
      ORDER BY q.priority DESC, q.available_at, q.run_id LIMIT share
    ) AS h
    WHERE l.lane_id = ANY (lanes) AND NOT l.has_delayed
    UNION ALL
    SELECT l.lane_id, h.run_id, h.concurrency_key, h.available_at, l.priority + h.priority, l.tenant_id,
      l.project_id, l.plan_id, l.tenant_priority, l.turn, l.turn_since
    FROM runledger.queue_lanes l CROSS JOIN LATERAL runledger.lane_heads(l.lane_id, claim.at, seen, share) AS h
    WHERE l.lane_id = ANY (lanes) AND l.has_delayed
    UNION ALL
    SELECT NULL, q.run_id, q.concurrency_key, q.available_at, l.priority + q.priority, l.tenant_id,
      l.project_id, l.plan_id, l.tenant_priority, l.turn, l.turn_since
    FROM runledger.run_queue q JOIN runledger.queue_lanes l ON l.lane_id = q.lane_id
    WHERE q.run_id = ANY (unheld) AND q.run_id <> ALL (seen)
      AND 'tenant|' || q.tenant_id <> ALL (claim.full_to_start) AND 'workflow|' || q.plan_id <> ALL (claim.full_to_start)
      AND 'project|' || q.tenant_id || '|' || q.project_id <> ALL (claim.full_to_start)
  ),
  numbered AS (
    SELECT h.*, row_number() OVER (PARTITION BY h.tenant_id ORDER BY h.priority DESC, h.available_at, h.run_id) AS k
    FROM heads h
  )
  SELECT n.lane_id, n.run_id, n.tenant_id, n.project_id, n.plan_id, n.concurrency_key FROM numbered n
  ORDER BY n.tenant_priority DESC, CASE n.k WHEN 1 THEN n.turn ELSE greatest(n.turn, served) + n.k - 1 END,
    CASE n.k WHEN 1 THEN n.turn_since ELSE claim.at END, n.run_id
  LIMIT claim.room;
END
$function$;

-- Phase 4. Starts queued runs. A round whose candidates met full limits is followed by another one that leaves them out.
CREATE FUNCTION runledger.start_queued_runs(claim runledger.claim) RETURNS runledger.claim
LANGUAGE plpgsql VOLATILE
AS $function$
DECLARE
  capacity runledger.rooms := claim.capacity;
  served bigint := coalesce((SELECT t.turn FROM runledger.queue_turn t), 0);
  unheld text[] := '{}';
  wanted integer;
  next record;
  offers bigint[]; -- the lane of each candidate
  spent bigint[] := '{}'; -- lanes that have offered all of their due runs
  candidate record;
  key text;
  verdict record;
  seen text[] := '{}';
  chosen text[] := '{}';
  lane bigint;
BEGIN
  IF claim.room > 0 AND EXISTS (SELECT FROM runledger.run_queue q WHERE q.held) THEN
    unheld := runledger.unheld_runs(claim.plan_ids, claim.plan_versions, claim.format, claim.at);
  END IF;
  FOR round IN 1 .. 5 LOOP
    EXIT WHEN claim.room <= 0 OR 'overall|' = ANY (claim.full_to_start);
    wanted := claim.room;
    offers := '{}';
    next := runledger.next_lanes(claim, spent);
    EXIT WHEN next.lanes = '{}' AND unheld = '{}';
    FOR candidate IN SELECT * FROM runledger.queued_candidates(claim, next.lanes, next.share, unheld, seen, served) LOOP
      seen := seen || candidate.run_id;
      offers := offers || candidate.lane_id;
      key := 'concurrencyKey|' || candidate.tenant_id || '|' || candidate.concurrency_key;
      verdict := runledger.admit(capacity, ARRAY['overall|', 'tenant|' || candidate.tenant_id,
        'project|' || candidate.tenant_id || '|' || candidate.project_id, 'workflow|' || candidate.plan_id, key],
        true, claim.at);
      capacity := verdict.rooms;
      claim.full_to_start := claim.full_to_start || verdict.missing;
      IF key = ANY (verdict.missing) THEN
        PERFORM runledger.hold_runs(candidate.tenant_id, candidate.concurrency_key);
      END IF;
      CONTINUE WHEN verdict.missing <> '{}';
      chosen := chosen || candidate.run_id;
      claim.room := claim.room - 1;
    END LOOP;
    unheld := '{}';
    IF cardinality(offers) < wanted THEN -- no lane was cut off by the worker's room
      spent := spent || ARRAY(
        SELECT l.id FROM unnest(next.lanes) AS l (id)
        WHERE (SELECT count(*) FROM unnest(offers) AS o (id) WHERE o.id = l.id) < next.share
      );
    END IF;
  END LOOP;
  claim.capacity := capacity;
  IF chosen <> '{}' THEN
    claim.claimed := claim.claimed || ARRAY(
      SELECT ROW(t.*)::runledger.claimed_run
      FROM runledger.take_runs(claim.worker, chosen, '{}', true, true, claim.at) AS t
    );
    PERFORM runledger.record_starts(ARRAY(
      SELECT q.run_id FROM runledger.run_queue q WHERE q.run_id = ANY (chosen) AND q.started_at = claim.at
    ), served, claim.at);
  END IF;
  FOREACH lane IN ARRAY spent LOOP
    PERFORM runledger.close_or_delay_lane(lane, claim.at);
  END LOOP;
  RETURN claim;
END
$function$;

-- Assigns up to `wanted` runs to a worker that is alive.
--
-- Only claims make runs running, and the advisory lock lets one claim in at a time. So the number of running runs that a
-- claim reads can only fall until it commits: everything else only releases slots, and needs no lock for that.
-- Locks come in one order (P8): heads, then queue rows, then lanes, each sorted. A claim skips rows that others have
-- locked instead of waiting for them, and so is never part of a deadlock.
-- The settings pin plans to indexes, in the phases too: a plan made for an empty queue would stay in the cache.
CREATE OR REPLACE FUNCTION runledger.claim_runs(
  worker text, plan_ids text[], plan_versions text[], format integer, wanted integer
)
RETURNS TABLE (
  run_id text, lease_epoch bigint, taken_from text, head_seq bigint, plan_id text, plan_version text, wakes bigint,
  slot boolean
)
LANGUAGE plpgsql VOLATILE
SET enable_seqscan = off
SET enable_bitmapscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan -- planning takes longer than running
AS $function$
#variable_conflict use_column
DECLARE
  claim runledger.claim;
  claim_time timestamptz;
  is_full record;
  limited_scopes text[];
BEGIN
  IF NOT EXISTS (SELECT FROM runledger.workers w WHERE w.worker_id = worker AND w.expires_at > clock_timestamp()) THEN
    RETURN;
  END IF;
  LOCK TABLE runledger.limits IN ROW SHARE MODE; -- a change of limits waits for claims that use the old ones
  PERFORM pg_advisory_xact_lock('runledger.run_queue'::regclass::oid::integer, 1);
  claim_time := clock_timestamp();
  is_full := runledger.full_subjects(claim_time);
  limited_scopes := ARRAY(SELECT DISTINCT l.scope FROM runledger.limits l) || 'concurrencyKey'::text;
  claim := ROW(worker, plan_ids, plan_versions, format, claim_time, wanted, runledger.dead_owners(), is_full.to_run,
    is_full.to_begin, ROW(limited_scopes, '{}', '{}', '{}')::runledger.rooms, '{}');

  IF claim.dead <> '{}' THEN
    claim := runledger.take_over_lost_runs(claim);
  END IF;
  claim := runledger.resume_due_runs(claim);
  IF EXISTS (SELECT FROM runledger.run_queue q WHERE q.acts_at <= claim.at AND q.owner IS NULL) THEN
    claim := runledger.answer_operators(claim);
  END IF;
  claim := runledger.start_queued_runs(claim);
  IF claim.claimed <> '{}' THEN
    RETURN QUERY SELECT c.* FROM unnest(claim.claimed) AS c;
  END IF;
END
$function$;

-- True if a run that finishes may let another one start, because limits are set or runs have concurrency keys.
CREATE FUNCTION runledger.may_unblock_others() RETURNS boolean
LANGUAGE plpgsql STABLE
SET enable_seqscan = off -- an index gives the answer, no matter how many runs are queued
AS $function$
BEGIN
  RETURN EXISTS (SELECT FROM runledger.limits)
    OR EXISTS (SELECT FROM runledger.run_queue q WHERE q.concurrency_key IS NOT NULL);
END
$function$;

CREATE OR REPLACE FUNCTION runledger.ends_matter() RETURNS boolean
LANGUAGE plpgsql STABLE
AS $function$
BEGIN
  RETURN runledger.may_unblock_others();
END
$function$;

CREATE OR REPLACE FUNCTION runledger.note_begins(begun text[], served bigint, at timestamptz) RETURNS void
LANGUAGE plpgsql VOLATILE
AS $function$
BEGIN
  PERFORM runledger.record_starts(begun, served, at);
END
$function$;

CREATE OR REPLACE FUNCTION runledger.rest_lane(in_lane bigint, at timestamptz) RETURNS void
LANGUAGE plpgsql VOLATILE
AS $function$
BEGIN
  PERFORM runledger.close_or_delay_lane(in_lane, at);
END
$function$;
