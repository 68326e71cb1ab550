-- oldest-code: 11
-- Workers can be limited to tenants: they claim only runs of these tenants. `NULL` stands for all tenants.
--
-- Workers of the previous version call claim_runs with five parameters, and are not limited.
--
-- `last_key` is the concurrency key at which a limited worker continues. A cursor that it shared with workers of other
-- tenants could pass over the keys of its own tenants forever.
ALTER TABLE runledger.workers ADD COLUMN tenants text[], ADD COLUMN last_key text NOT NULL DEFAULT '';

ALTER TYPE runledger.claim ADD ATTRIBUTE tenants text[];

DROP FUNCTION runledger.claim_runs(text, text[], text[], integer, integer);
DROP FUNCTION runledger.free_runs(text[], text[], text[], timestamptz);
DROP FUNCTION runledger.unheld_runs(text[], text[], integer, timestamptz);

CREATE OR REPLACE FUNCTION runledger.free_runs(dead text[], plan_ids text[], plan_versions text[], at timestamp with time zone, only_tenants text[] DEFAULT NULL::text[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
DECLARE
  locked text[] := runledger.lock_runs(ARRAY(
    SELECT q.run_id FROM runledger.run_queue q
    WHERE q.owner = ANY (dead) AND NOT EXISTS (
      SELECT FROM unnest(plan_ids, plan_versions) AS p (plan_id, plan_version)
      WHERE p.plan_id = q.plan_id AND p.plan_version = q.plan_version
        AND (only_tenants IS NULL OR q.tenant_id = ANY (only_tenants))
    )
    LIMIT 100
  ));
BEGIN
  UPDATE runledger.run_heads h SET lease_owner = NULL, lease_epoch = h.lease_epoch + 1
  FROM runledger.run_queue q WHERE h.run_id = ANY (locked) AND q.run_id = h.run_id AND q.owner = ANY (dead);
  UPDATE runledger.run_queue q
  SET owner = NULL, slot = false,
    available_at = CASE WHEN q.started_at IS NULL THEN q.available_at ELSE at END,
    lane_id = CASE WHEN q.started_at IS NULL THEN
      runledger.open_lane(q.tenant_id, q.project_id, q.plan_id, q.plan_version, q.log_format, q.available_at)
    END
  WHERE q.run_id = ANY (locked) AND q.owner = ANY (dead);
END
$function$;

CREATE OR REPLACE FUNCTION runledger.next_held_key(claim runledger.claim, INOUT tenant text, INOUT key text)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
AS $function$
DECLARE
  after_tenant text := tenant;
  after_key text := key;
BEGIN
  IF claim.tenants IS NULL THEN
    SELECT q.tenant_id, q.concurrency_key INTO tenant, key FROM runledger.run_queue q
    WHERE q.held AND (q.tenant_id, q.concurrency_key) > (after_tenant, after_key)
    ORDER BY q.tenant_id, q.concurrency_key LIMIT 1;
  ELSE
    SELECT n.tenant_id, n.concurrency_key INTO tenant, key FROM unnest(claim.tenants) AS t (id)
    CROSS JOIN LATERAL (
      SELECT q.tenant_id, q.concurrency_key FROM runledger.run_queue q
      WHERE q.held AND q.tenant_id = t.id AND (q.tenant_id, q.concurrency_key) > (after_tenant, after_key)
      ORDER BY q.tenant_id, q.concurrency_key LIMIT 1
    ) AS n
    ORDER BY n.tenant_id, n.concurrency_key LIMIT 1;
  END IF;
END
$function$;

CREATE OR REPLACE FUNCTION runledger.unheld_runs(claim runledger.claim)
 RETURNS text[]
 LANGUAGE plpgsql
AS $function$
DECLARE
  from_key text := coalesce(CASE WHEN claim.tenants IS NULL THEN (SELECT t.last_key FROM runledger.queue_turn t)
    ELSE (SELECT w.last_key FROM runledger.workers w WHERE w.worker_id = claim.worker) END, '');
  first_tenant text COLLATE "C" := split_part(from_key, '|', 1);
  first_key text COLLATE "C" := substr(from_key, length(first_tenant) + 2);
  tenant text COLLATE "C" := first_tenant;
  key text COLLATE "C" := first_key;
  wrapped boolean := from_key = '';
  room integer;
  looked integer := 0;
  next_key text;
  unheld text[] := '{}';
BEGIN
  WHILE looked < 100 LOOP
    SELECT n.tenant, n.key INTO tenant, key FROM runledger.next_held_key(claim, tenant, key) AS n;
    IF tenant IS NULL THEN
      EXIT WHEN wrapped;
      wrapped := true;
      tenant := '';
      key := '';
      CONTINUE;
    END IF;
    EXIT WHEN wrapped AND from_key <> '' AND (tenant, key) > (first_tenant, first_key);
    looked := looked + 1;
    SELECT r.to_begin INTO room FROM runledger.limit_room('concurrencyKey', tenant || '|' || key, claim.at) AS r;
    CONTINUE WHEN room <= 0;
    unheld := unheld || ARRAY(
      SELECT q.run_id FROM runledger.run_queue q
      WHERE q.held AND q.tenant_id = tenant AND q.concurrency_key = key AND q.owner IS NULL
        AND q.log_format <= claim.format
        AND (q.plan_id, q.plan_version) IN (SELECT * FROM unnest(claim.plan_ids, claim.plan_versions))
      ORDER BY q.priority DESC, q.available_at LIMIT coalesce(room, 100)
    );
  END LOOP;
  next_key := CASE WHEN looked = 100 THEN tenant || '|' || key ELSE '' END;
  IF next_key = from_key THEN RETURN unheld; END IF;
  IF claim.tenants IS NULL THEN
    INSERT INTO runledger.queue_turn AS t (turn, last_key) VALUES (0, next_key)
    ON CONFLICT (one) DO UPDATE SET last_key = EXCLUDED.last_key;
  ELSE
    UPDATE runledger.workers w SET last_key = next_key WHERE w.worker_id = claim.worker;
  END IF;
  RETURN unheld;
END
$function$;

CREATE OR REPLACE FUNCTION runledger.next_lanes(claim runledger.claim, spent bigint[], OUT lanes bigint[], OUT share integer)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
AS $function$
DECLARE
  tenants text[];
BEGIN
  lanes := '{}';
  IF claim.tenants IS NULL THEN
    tenants := ARRAY(
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
  ELSE -- few tenants: reads their lanes instead of passing over the lanes of others
    tenants := ARRAY(
      SELECT t.id FROM unnest(claim.tenants) AS t (id)
      WHERE 'tenant|' || t.id <> ALL (claim.full_to_start) AND EXISTS (
        SELECT FROM runledger.queue_lanes a
        WHERE a.tenant_id = t.id AND a.due_at <= claim.at AND a.log_format <= claim.format AND a.lane_id <> ALL (spent)
          AND (a.plan_id, a.plan_version) IN (SELECT * FROM unnest(claim.plan_ids, claim.plan_versions))
      )
    );
  END IF;
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

CREATE OR REPLACE FUNCTION runledger.answer_operators(claim runledger.claim)
 RETURNS runledger.claim
 LANGUAGE plpgsql
AS $function$
BEGIN
  claim.claimed := claim.claimed || ARRAY(
    SELECT ROW(t.*)::runledger.claimed_run FROM runledger.take_runs(claim.worker, ARRAY(
      SELECT q.run_id FROM runledger.run_queue q
      WHERE q.acts_at <= claim.at AND q.owner IS NULL AND q.log_format <= claim.format
        AND (claim.tenants IS NULL OR q.tenant_id = ANY (claim.tenants))
        AND (q.plan_id, q.plan_version) IN (SELECT * FROM unnest(claim.plan_ids, claim.plan_versions))
      LIMIT 20
    ), '{}', false, false, claim.at) AS t
  );
  RETURN claim;
END
$function$;

CREATE OR REPLACE FUNCTION runledger.take_over_lost_runs(claim runledger.claim)
 RETURNS runledger.claim
 LANGUAGE plpgsql
AS $function$
DECLARE
  taken runledger.claimed_run[];
BEGIN
  PERFORM runledger.free_runs(claim.dead, claim.plan_ids, claim.plan_versions, claim.at, claim.tenants);
  taken := ARRAY(
    SELECT ROW(t.*)::runledger.claimed_run FROM runledger.take_runs(claim.worker, ARRAY(
      SELECT q.run_id FROM runledger.run_queue q
      WHERE q.owner = ANY (claim.dead) AND q.log_format <= claim.format
        AND (claim.tenants IS NULL OR q.tenant_id = ANY (claim.tenants))
        AND (q.plan_id, q.plan_version) IN (SELECT * FROM unnest(claim.plan_ids, claim.plan_versions))
      LIMIT claim.room
    ), claim.dead, NULL, false, claim.at) AS t
  );
  claim.room := claim.room - cardinality(taken);
  claim.claimed := claim.claimed || taken || ARRAY(
    SELECT ROW(t.*)::runledger.claimed_run FROM runledger.take_runs(claim.worker, ARRAY(
      SELECT q.run_id FROM runledger.run_queue q
      WHERE q.owner = ANY (claim.dead) AND q.acts_at <= claim.at AND q.log_format <= claim.format
        AND (claim.tenants IS NULL OR q.tenant_id = ANY (claim.tenants))
        AND (q.plan_id, q.plan_version) IN (SELECT * FROM unnest(claim.plan_ids, claim.plan_versions))
      LIMIT 20
    ), claim.dead, false, false, claim.at) AS t
  );
  RETURN claim;
END
$function$;

CREATE OR REPLACE FUNCTION runledger.resume_due_runs(claim runledger.claim)
 RETURNS runledger.claim
 LANGUAGE plpgsql
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
          AND (claim.tenants IS NULL OR q.tenant_id = ANY (claim.tenants))
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

CREATE OR REPLACE FUNCTION runledger.start_queued_runs(claim runledger.claim)
 RETURNS runledger.claim
 LANGUAGE plpgsql
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
    unheld := runledger.unheld_runs(claim);
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

CREATE OR REPLACE FUNCTION runledger.claim_runs(worker text, plan_ids text[], plan_versions text[], format integer, wanted integer, only_tenants text[] DEFAULT NULL::text[])
 RETURNS TABLE(run_id text, lease_epoch bigint, taken_from text, head_seq bigint, plan_id text, plan_version text, wakes bigint, slot boolean)
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
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
    is_full.to_begin, ROW(limited_scopes, '{}', '{}', '{}')::runledger.rooms, '{}', only_tenants);

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
