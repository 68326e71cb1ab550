-- oldest-code: 11
-- Claims. Only claims make runs running, and one claim runs at a time. So the number of running runs that a claim reads
-- can only fall until it commits: everything else only releases slots, and needs no lock for that.
--  Q2  Runs with an operator's action are claimed outside all limits, without a slot. Started runs come before queued ones.
--  O1  A run whose owner is dead keeps its slot until another worker takes it over or releases it.
--  P8  Locks come in order: heads, then queue rows, then lanes. A claim skips rows that others have locked instead of
--      waiting for them, and so is never part of a deadlock.
-- The plans of these statements are pinned to indexes: a plan made for an empty queue would stay in the cache.

-- A limit on `*` applies to every subject without its own.
CREATE FUNCTION runledger.limit_for(for_scope text, for_subject text) RETURNS SETOF runledger.limits
LANGUAGE sql STABLE ROWS 1
BEGIN ATOMIC
  SELECT l.* FROM runledger.limits l WHERE l.scope = for_scope AND l.subject IN (for_subject, '*')
  ORDER BY l.subject = '*' LIMIT 1;
END;

-- Counts running runs, or runs that have a concurrency key, up to a number.
CREATE FUNCTION runledger.count_running(for_scope text, for_subject text, at_most integer) RETURNS integer
LANGUAGE plpgsql STABLE STRICT
AS $function$
DECLARE
  tenant text := split_part(for_subject, '|', 1);
  within text := split_part(for_subject, '|', 2);
  found integer;
BEGIN
  CASE for_scope
    WHEN 'overall' THEN
      SELECT count(*) INTO found FROM (SELECT FROM runledger.run_queue q WHERE q.slot LIMIT at_most) AS runs;
    WHEN 'tenant' THEN
      SELECT count(*) INTO found FROM (
        SELECT FROM runledger.run_queue q WHERE q.slot AND q.tenant_id = for_subject LIMIT at_most
      ) AS runs;
    WHEN 'project' THEN
      SELECT count(*) INTO found FROM (
        SELECT FROM runledger.run_queue q WHERE q.slot AND q.tenant_id = tenant AND q.project_id = within LIMIT at_most
      ) AS runs;
    WHEN 'workflow' THEN
      SELECT count(*) INTO found FROM (
        SELECT FROM runledger.run_queue q WHERE q.slot AND q.plan_id = for_subject LIMIT at_most
      ) AS runs;
    WHEN 'concurrencyKey' THEN
      SELECT count(*) INTO found FROM (
        SELECT FROM runledger.run_queue q
        WHERE q.tenant_id = tenant AND q.concurrency_key = within AND q.started_at IS NOT NULL LIMIT at_most
      ) AS runs;
  END CASE;
  RETURN found;
END
$function$;

-- Counts queued runs, up to a number.
CREATE FUNCTION runledger.count_queued(for_scope text, for_subject text, at_most integer) RETURNS integer
LANGUAGE plpgsql STABLE
AS $function$
DECLARE
  tenant text := split_part(for_subject, '|', 1);
  within text := split_part(for_subject, '|', 2);
  found integer;
BEGIN
  CASE for_scope
    WHEN 'overall' THEN
      SELECT count(*) INTO found FROM (
        SELECT FROM runledger.run_queue q WHERE q.started_at IS NULL LIMIT at_most
      ) AS runs;
    WHEN 'concurrencyKey' THEN
      SELECT count(*) INTO found FROM (
        SELECT FROM runledger.run_queue q
        WHERE q.tenant_id = tenant AND q.concurrency_key = within AND NOT (q.started_at IS NOT NULL) LIMIT at_most
      ) AS runs;
    ELSE
      SELECT count(*) INTO found FROM (
        SELECT FROM runledger.queue_lanes l
        JOIN runledger.run_queue q ON q.lane_id = l.lane_id AND q.started_at IS NULL
        WHERE CASE for_scope
          WHEN 'tenant' THEN l.tenant_id = for_subject
          WHEN 'project' THEN l.tenant_id = tenant AND l.project_id = within
          ELSE l.plan_id = for_subject
        END
        LIMIT at_most
      ) AS runs;
  END CASE;
  RETURN found;
END
$function$;

-- How many more runs may run, and how many more may start. NULL if there is no limit. A concurrency key without a limit
-- allows one run at a time.
CREATE FUNCTION runledger.limit_room(
  for_scope text, for_subject text, at timestamptz, OUT to_run integer, OUT to_begin integer
)
LANGUAGE plpgsql STABLE
AS $function$
DECLARE
  l runledger.limits;
  most integer;
BEGIN
  SELECT * INTO l FROM runledger.limit_for(for_scope, for_subject);
  most := CASE WHEN FOUND THEN l.max_running WHEN for_scope = 'concurrencyKey' THEN 1 END;
  to_begin := most - runledger.count_running(for_scope, for_subject, most);
  IF for_scope <> 'concurrencyKey' THEN to_run := to_begin; END IF; -- a started run has its key
  IF l.rate_starts IS NOT NULL THEN
    to_begin := least(to_begin, l.rate_starts - (
      SELECT count(*) FROM runledger.limit_starts s
      WHERE s.scope = for_scope AND s.subject = for_subject
        AND s.started_at > at - l.rate_ms * interval '1 millisecond'
    ));
  END IF;
END
$function$;

-- Limits without capacity, as scope and subject. Claims skip their runs.
CREATE FUNCTION runledger.full_subjects(at timestamptz, OUT to_run text[], OUT to_begin text[])
LANGUAGE plpgsql STABLE
AS $function$
BEGIN
  to_run := '{}';
  to_begin := '{}';
  IF NOT EXISTS (SELECT FROM runledger.limits) THEN RETURN; END IF;
  SELECT coalesce(array_agg(u.scope || '|' || u.subject), '{}') INTO to_run
  FROM (
    SELECT s.scope, s.subject, count(*) AS used FROM runledger.run_queue q
    CROSS JOIN LATERAL (VALUES
      ('overall', ''), ('tenant', q.tenant_id), ('project', q.tenant_id || '|' || q.project_id), ('workflow', q.plan_id)
    ) AS s (scope, subject)
    WHERE q.slot AND s.scope IN (SELECT l.scope FROM runledger.limits l WHERE l.max_running IS NOT NULL)
    GROUP BY s.scope, s.subject
    UNION ALL
    SELECT l.scope, l.subject, 0 FROM runledger.limits l WHERE l.max_running = 0 AND l.subject <> '*'
  ) AS u
  CROSS JOIN LATERAL runledger.limit_for(u.scope, u.subject) AS l
  WHERE u.used >= l.max_running;
  SELECT to_run || coalesce(array_agg(u.scope || '|' || u.subject), '{}') INTO to_begin
  FROM (
    SELECT DISTINCT s.scope, s.subject FROM runledger.limit_starts s WHERE s.scope <> 'concurrencyKey'
  ) AS u
  CROSS JOIN LATERAL runledger.limit_for(u.scope, u.subject) AS l
  WHERE l.rate_starts <= (
    SELECT count(*) FROM runledger.limit_starts s
    WHERE s.scope = u.scope AND s.subject = u.subject AND s.started_at > at - l.rate_ms * interval '1 millisecond'
  );
END
$function$;

-- The first due runs of a lane, priority by priority, so that runs that are due later cost nothing.
CREATE FUNCTION runledger.lane_heads(in_lane bigint, at timestamptz, seen text[], wanted integer)
RETURNS TABLE (run_id text, priority integer, available_at timestamptz, concurrency_key text)
LANGUAGE plpgsql STABLE ROWS 5
AS $function$
#variable_conflict use_column
DECLARE
  level integer;
  missing integer := wanted;
  got integer;
BEGIN
  SELECT q.priority INTO level FROM runledger.run_queue q
  WHERE q.lane_id = in_lane AND NOT q.held AND q.started_at IS NULL ORDER BY q.priority DESC LIMIT 1;
  WHILE level IS NOT NULL AND missing > 0 LOOP
    RETURN QUERY SELECT q.run_id, q.priority, q.available_at, q.concurrency_key FROM runledger.run_queue q
    WHERE q.lane_id = in_lane AND NOT q.held AND q.priority = level AND q.available_at <= at AND q.started_at IS NULL
      AND q.owner IS NULL AND q.run_id <> ALL (seen)
    ORDER BY q.available_at, q.run_id LIMIT missing;
    GET DIAGNOSTICS got = ROW_COUNT;
    missing := missing - got;
    SELECT q.priority INTO level FROM runledger.run_queue q
    WHERE q.lane_id = in_lane AND NOT q.held AND q.started_at IS NULL AND q.priority < level
    ORDER BY q.priority DESC LIMIT 1;
  END LOOP;
END
$function$;

-- Delays a lane without due runs until its next due time, and deletes a lane without runs. Both happen only under the
-- lane's lock, which excludes starts that add a run, and read the queue after the lock is held.
CREATE FUNCTION runledger.rest_lane(in_lane bigint, at timestamptz) RETURNS void
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

-- Owners of runs that are not alive. Reads one row per owner, no matter how many runs it has.
CREATE FUNCTION runledger.dead_owners() RETURNS text[]
LANGUAGE plpgsql STABLE
AS $function$
DECLARE
  each text := '';
  dead text[] := '{}';
BEGIN
  LOOP
    SELECT q.owner INTO each FROM runledger.run_queue q WHERE q.owner > each ORDER BY q.owner LIMIT 1;
    EXIT WHEN NOT FOUND;
    IF NOT EXISTS (SELECT FROM runledger.workers w WHERE w.worker_id = each AND w.expires_at > clock_timestamp()) THEN
      dead := dead || each;
    END IF;
  END LOOP;
  RETURN dead;
END
$function$;

-- Locks heads, then queue rows, in order (P8). Returns the runs that no other transaction has locked.
CREATE FUNCTION runledger.lock_runs(wanted text[]) RETURNS text[]
LANGUAGE plpgsql VOLATILE
AS $function$
DECLARE
  locked text[];
BEGIN
  locked := ARRAY(
    SELECT h.run_id FROM runledger.run_heads h WHERE h.run_id = ANY (wanted) ORDER BY h.run_id FOR UPDATE SKIP LOCKED
  );
  RETURN ARRAY(
    SELECT q.run_id FROM runledger.run_queue q WHERE q.run_id = ANY (locked) ORDER BY q.run_id FOR UPDATE SKIP LOCKED
  );
END
$function$;

-- Assigns runs to a worker, each under a new epoch. `has_slot` NULL keeps the slot; `begins` is true for a first slot.
CREATE FUNCTION runledger.take_runs(
  worker text, wanted text[], dead text[], has_slot boolean, begins boolean, at timestamptz
)
RETURNS TABLE (
  run_id text, lease_epoch bigint, taken_from text, head_seq bigint, plan_id text, plan_version text, wakes bigint,
  slot boolean
)
LANGUAGE plpgsql VOLATILE
AS $function$
#variable_conflict use_column
DECLARE
  locked text[] := runledger.lock_runs(wanted);
BEGIN
  RETURN QUERY
  WITH free AS (
    SELECT q.run_id, q.owner FROM runledger.run_queue q
    WHERE q.run_id = ANY (locked) AND (q.owner IS NULL OR q.owner = ANY (dead))
  ),
  leased AS (
    UPDATE runledger.run_heads h SET lease_owner = worker, lease_epoch = h.lease_epoch + 1
    FROM free f WHERE h.run_id = f.run_id
    RETURNING h.run_id, h.lease_epoch, f.owner AS taken_from, h.head_seq
  )
  UPDATE runledger.run_queue q
  SET owner = worker, slot = coalesce(has_slot, q.slot), held = q.held AND NOT begins,
    started_at = CASE WHEN begins THEN at ELSE q.started_at END
  FROM leased l WHERE q.run_id = l.run_id
  RETURNING q.run_id, l.lease_epoch, l.taken_from, l.head_seq, q.plan_id, q.plan_version, q.wakes, q.slot;
END
$function$;

-- Releases runs of dead owners whose plan the worker does not know, so that a worker that knows it can claim them.
CREATE FUNCTION runledger.free_runs(dead text[], plan_ids text[], plan_versions text[], at timestamptz) RETURNS void
LANGUAGE plpgsql VOLATILE
AS $function$
DECLARE
  locked text[] := runledger.lock_runs(ARRAY(
    SELECT q.run_id FROM runledger.run_queue q
    WHERE q.owner = ANY (dead) AND NOT EXISTS (
      SELECT FROM unnest(plan_ids, plan_versions) AS p (plan_id, plan_version)
      WHERE p.plan_id = q.plan_id AND p.plan_version = q.plan_version
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

-- Held runs whose concurrency key has become free, of plans that the worker knows. Checks at most a hundred keys; if there
-- are more, the next claim continues after them.
CREATE FUNCTION runledger.unheld_runs(plan_ids text[], plan_versions text[], format integer, at timestamptz)
RETURNS text[]
LANGUAGE plpgsql VOLATILE
AS $function$
DECLARE
  from_key text := coalesce((SELECT t.last_key FROM runledger.queue_turn t), '');
  tenant text := split_part(from_key, '|', 1);
  key text := split_part(from_key, '|', 2);
  wrapped boolean := from_key = '';
  room integer;
  looked integer := 0;
  unheld text[] := '{}';
BEGIN
  WHILE looked < 100 LOOP
    SELECT q.tenant_id, q.concurrency_key INTO tenant, key FROM runledger.run_queue q
    WHERE q.held AND (q.tenant_id, q.concurrency_key) > (tenant, key)
    ORDER BY q.tenant_id, q.concurrency_key LIMIT 1;
    IF NOT FOUND THEN
      EXIT WHEN wrapped;
      wrapped := true;
      tenant := '';
      key := '';
      CONTINUE;
    END IF;
    EXIT WHEN wrapped AND from_key <> '' AND (tenant || '|' || key) > from_key;
    looked := looked + 1;
    SELECT r.to_begin INTO room FROM runledger.limit_room('concurrencyKey', tenant || '|' || key, at) AS r;
    CONTINUE WHEN room <= 0;
    unheld := unheld || ARRAY(
      SELECT q.run_id FROM runledger.run_queue q
      WHERE q.held AND q.tenant_id = tenant AND q.concurrency_key = key AND q.owner IS NULL AND q.log_format <= format
        AND (q.plan_id, q.plan_version) IN (SELECT * FROM unnest(plan_ids, plan_versions))
      ORDER BY q.priority DESC, q.available_at LIMIT coalesce(room, 100)
    );
  END LOOP;
  IF looked = 100 THEN
    INSERT INTO runledger.queue_turn (turn, last_key) VALUES (0, tenant || '|' || key)
    ON CONFLICT (one) DO UPDATE SET last_key = EXCLUDED.last_key;
  ELSIF from_key <> '' THEN
    UPDATE runledger.queue_turn SET last_key = '';
  END IF;
  RETURN unheld;
END
$function$;

-- Holds the due queued runs of a concurrency key that is busy.
CREATE FUNCTION runledger.hold_runs(tenant text, key text) RETURNS void
LANGUAGE sql VOLATILE
BEGIN ATOMIC
  UPDATE runledger.run_queue q SET held = true
  FROM (
    SELECT w.run_id FROM runledger.run_queue w
    WHERE w.tenant_id = tenant AND w.concurrency_key = key AND NOT (w.started_at IS NOT NULL) AND NOT w.held
      AND w.owner IS NULL AND w.available_at <= clock_timestamp()
    LIMIT 1000 FOR UPDATE SKIP LOCKED
  ) AS waiting
  WHERE q.run_id = waiting.run_id;
END;

-- Records that runs started: in the rate and the meter of every limit that counts them, and in the turns of their tenants.
CREATE FUNCTION runledger.note_begins(begun text[], served bigint, at timestamptz) RETURNS void
LANGUAGE plpgsql VOLATILE
AS $function$
DECLARE
  scopes text[] := ARRAY(SELECT DISTINCT l.scope FROM runledger.limits l) || 'overall'::text;
BEGIN
  WITH counted AS (
    SELECT q.run_id, s.scope, s.subject, l.rate_starts, l.rate_ms
    FROM runledger.run_queue q
    CROSS JOIN LATERAL (VALUES
      ('overall', ''), ('tenant', q.tenant_id), ('project', q.tenant_id || '|' || q.project_id), ('workflow', q.plan_id),
      ('concurrencyKey', q.tenant_id || '|' || q.concurrency_key)
    ) AS s (scope, subject)
    LEFT JOIN LATERAL runledger.limit_for(s.scope, s.subject) AS l ON true
    WHERE q.run_id = ANY (begun) AND s.scope = ANY (scopes) AND s.subject IS NOT NULL
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
    SELECT q.tenant_id, count(*) AS runs FROM runledger.run_queue q WHERE q.run_id = ANY (begun) GROUP BY q.tenant_id
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
END
$function$;

-- Capacity that a claim has read, by scope and subject. Only scopes with limits are read.
CREATE TYPE runledger.rooms AS (scopes text[], subjects text[], to_run integer[], to_begin integer[]);

-- Takes capacity for a run from all its limits. If limits have none, they are in `missing`, and nothing is taken.
CREATE FUNCTION runledger.admit(
  INOUT rooms runledger.rooms, own text[], begins boolean, at timestamptz, OUT missing text[]
)
LANGUAGE plpgsql STABLE
AS $function$
DECLARE
  each text;
  place integer;
  room record;
BEGIN
  missing := '{}';
  own := ARRAY(SELECT o.each FROM unnest(own) AS o (each) WHERE split_part(o.each, '|', 1) = ANY (rooms.scopes));
  FOREACH each IN ARRAY own LOOP
    place := array_position(rooms.subjects, each);
    IF place IS NULL THEN
      SELECT * INTO room FROM runledger.limit_room(split_part(each, '|', 1), substr(each, strpos(each, '|') + 1), at);
      place := cardinality(rooms.subjects) + 1;
      rooms.subjects[place] := each;
      rooms.to_run[place] := room.to_run;
      rooms.to_begin[place] := room.to_begin;
    END IF;
    IF (CASE WHEN begins THEN rooms.to_begin[place] ELSE rooms.to_run[place] END) <= 0 THEN
      missing := missing || each;
    END IF;
  END LOOP;
  IF missing <> '{}' THEN RETURN; END IF;
  FOREACH each IN ARRAY own LOOP
    place := array_position(rooms.subjects, each);
    rooms.to_run[place] := rooms.to_run[place] - 1;
    rooms.to_begin[place] :=
      CASE WHEN begins THEN rooms.to_begin[place] - 1 ELSE least(rooms.to_begin[place], rooms.to_run[place]) END;
  END LOOP;
END
$function$;

CREATE FUNCTION runledger.claim_runs(
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
  at timestamptz;
  room integer := wanted; -- how many more runs the worker accepts
  taken integer;
  dead text[];
  is_full record;
  rooms runledger.rooms;
  candidate record;
  verdict record;
  again text[] := '{}';
  begun text[] := '{}';
  seen text[] := '{}';
  unheld text[] := '{}';
  served bigint;
  asked integer;
  tenants text[];
  share integer; -- how much of the room one tenant may use
  lanes bigint[];
  gave bigint[]; -- the lane of each candidate
  spent bigint[] := '{}';
  lane bigint;
  progress boolean;
BEGIN
  IF NOT EXISTS (SELECT FROM runledger.workers w WHERE w.worker_id = worker AND w.expires_at > clock_timestamp()) THEN
    RETURN;
  END IF;
  LOCK TABLE runledger.limits IN ROW SHARE MODE; -- a change of limits waits for claims that use the old ones
  PERFORM pg_advisory_xact_lock('runledger.run_queue'::regclass::oid::integer, 1);
  at := clock_timestamp();
  dead := runledger.dead_owners();
  SELECT * INTO is_full FROM runledger.full_subjects(at);
  rooms := ROW(ARRAY(SELECT DISTINCT l.scope FROM runledger.limits l) || 'concurrencyKey'::text, '{}', '{}', '{}');

  IF dead <> '{}' THEN
    PERFORM runledger.free_runs(dead, plan_ids, plan_versions, at);
    RETURN QUERY SELECT * FROM runledger.take_runs(worker, ARRAY(
      SELECT q.run_id FROM runledger.run_queue q
      WHERE q.owner = ANY (dead) AND q.log_format <= format
        AND (q.plan_id, q.plan_version) IN (SELECT * FROM unnest(plan_ids, plan_versions))
      LIMIT room
    ), dead, NULL, false, at);
    GET DIAGNOSTICS taken = ROW_COUNT;
    room := room - taken;
  END IF;

  -- Started runs that are due again, in the order in which they became due.
  FOR round IN 1 .. 5 LOOP
    EXIT WHEN room <= 0 OR 'overall|' = ANY (is_full.to_run);
    progress := false;
    FOR candidate IN
      SELECT r.* FROM unnest(plan_ids, plan_versions) AS p (plan_id, plan_version)
      CROSS JOIN LATERAL (
        SELECT q.run_id, q.tenant_id, q.project_id, q.plan_id, q.available_at FROM runledger.run_queue q
        WHERE q.plan_id = p.plan_id AND q.plan_version = p.plan_version AND q.started_at IS NOT NULL AND q.owner IS NULL
          AND q.available_at <= at AND q.log_format <= format AND q.run_id <> ALL (again)
          AND 'tenant|' || q.tenant_id <> ALL (is_full.to_run) AND 'workflow|' || q.plan_id <> ALL (is_full.to_run)
          AND 'project|' || q.tenant_id || '|' || q.project_id <> ALL (is_full.to_run)
        ORDER BY q.available_at LIMIT room
      ) AS r
      ORDER BY r.available_at LIMIT room
    LOOP
      SELECT * INTO verdict FROM runledger.admit(rooms, ARRAY['overall|', 'tenant|' || candidate.tenant_id,
        'project|' || candidate.tenant_id || '|' || candidate.project_id, 'workflow|' || candidate.plan_id], false, at);
      rooms := verdict.rooms;
      is_full.to_run := is_full.to_run || verdict.missing;
      is_full.to_begin := is_full.to_begin || verdict.missing;
      progress := progress OR verdict.missing <> '{}';
      CONTINUE WHEN verdict.missing <> '{}';
      again := again || candidate.run_id;
      room := room - 1;
    END LOOP;
    EXIT WHEN NOT progress;
  END LOOP;
  IF again <> '{}' THEN
    RETURN QUERY SELECT * FROM runledger.take_runs(worker, again, dead, true, false, at);
  END IF;

  -- Actions of operators. A started run that has just got a slot keeps it; others get none.
  IF EXISTS (SELECT FROM runledger.run_queue q WHERE q.acts_at <= at AND q.owner IS NULL) THEN
    RETURN QUERY SELECT * FROM runledger.take_runs(worker, ARRAY(
      SELECT q.run_id FROM runledger.run_queue q
      WHERE q.acts_at <= at AND q.owner IS NULL AND q.log_format <= format
        AND (q.plan_id, q.plan_version) IN (SELECT * FROM unnest(plan_ids, plan_versions))
      LIMIT 20
    ), '{}', false, false, at);
  END IF;

  -- Queued runs: tenants in turn, of each the run with the highest priority. A tenant's second and later runs in this
  -- claim use further turns. A tenant that could not be served for long is ahead by one run, not by all it missed.
  served := coalesce((SELECT t.turn FROM runledger.queue_turn t), 0);
  IF room > 0 AND EXISTS (SELECT FROM runledger.run_queue q WHERE q.held) THEN
    unheld := runledger.unheld_runs(plan_ids, plan_versions, format, at);
  END IF;
  FOR round IN 1 .. 5 LOOP
    EXIT WHEN room <= 0 OR 'overall|' = ANY (is_full.to_begin);
    gave := '{}';
    asked := room;
    tenants := ARRAY(
      SELECT l.tenant_id FROM unnest(plan_ids, plan_versions) AS p (plan_id, plan_version)
      CROSS JOIN LATERAL (
        SELECT a.tenant_id, a.tenant_priority, a.turn, a.turn_since FROM runledger.queue_lanes a
        WHERE a.plan_id = p.plan_id AND a.plan_version = p.plan_version AND a.due_at <= at AND a.log_format <= format
          AND 'tenant|' || a.tenant_id <> ALL (is_full.to_begin) AND 'workflow|' || a.plan_id <> ALL (is_full.to_begin)
          AND 'project|' || a.tenant_id || '|' || a.project_id <> ALL (is_full.to_begin) AND a.lane_id <> ALL (spent)
        ORDER BY a.tenant_priority DESC, a.turn, a.turn_since LIMIT room
      ) AS l
      ORDER BY l.tenant_priority DESC, l.turn, l.turn_since LIMIT room
    );
    lanes := ARRAY(
      SELECT a.lane_id FROM runledger.queue_lanes a
      WHERE a.tenant_id = ANY (tenants) AND a.due_at <= at AND a.log_format <= format AND a.lane_id <> ALL (spent)
        AND (a.plan_id, a.plan_version) IN (SELECT * FROM unnest(plan_ids, plan_versions))
        AND 'workflow|' || a.plan_id <> ALL (is_full.to_begin)
        AND 'project|' || a.tenant_id || '|' || a.project_id <> ALL (is_full.to_begin)
      ORDER BY a.turn, a.priority DESC, a.lane_id LIMIT 200
    );
    EXIT WHEN lanes = '{}' AND unheld = '{}';
    SELECT ceil(room::numeric / greatest(1, count(DISTINCT t.id))) INTO share FROM unnest(tenants) AS t (id);
    FOR candidate IN
      WITH heads AS (
        SELECT l.lane_id, h.run_id, h.concurrency_key, h.available_at, l.priority + h.priority AS priority, l.tenant_id,
          l.project_id, l.plan_id, l.tenant_priority, l.turn, l.turn_since
        FROM runledger.queue_lanes l CROSS JOIN LATERAL (
          SELECT q.run_id, q.priority, q.available_at, q.concurrency_key FROM runledger.run_queue q
          WHERE q.lane_id = l.lane_id AND NOT q.held AND q.started_at IS NULL AND q.owner IS NULL
            AND q.available_at <= at AND q.run_id <> ALL (seen)
          ORDER BY q.priority DESC, q.available_at, q.run_id LIMIT share
        ) AS h
        WHERE l.lane_id = ANY (lanes) AND NOT l.has_delayed
        UNION ALL
        SELECT l.lane_id, h.run_id, h.concurrency_key, h.available_at, l.priority + h.priority, l.tenant_id,
          l.project_id, l.plan_id, l.tenant_priority, l.turn, l.turn_since
        FROM runledger.queue_lanes l CROSS JOIN LATERAL runledger.lane_heads(l.lane_id, at, seen, share) AS h
        WHERE l.lane_id = ANY (lanes) AND l.has_delayed
        UNION ALL
        SELECT NULL, q.run_id, q.concurrency_key, q.available_at, l.priority + q.priority, l.tenant_id,
          l.project_id, l.plan_id, l.tenant_priority, l.turn, l.turn_since
        FROM runledger.run_queue q JOIN runledger.queue_lanes l ON l.lane_id = q.lane_id
        WHERE q.run_id = ANY (unheld) AND q.run_id <> ALL (seen) AND 'tenant|' || q.tenant_id <> ALL (is_full.to_begin)
          AND 'workflow|' || q.plan_id <> ALL (is_full.to_begin)
          AND 'project|' || q.tenant_id || '|' || q.project_id <> ALL (is_full.to_begin)
      ),
      numbered AS (
        SELECT h.*, row_number() OVER (PARTITION BY h.tenant_id ORDER BY h.priority DESC, h.available_at, h.run_id) AS k
        FROM heads h
      )
      SELECT n.* FROM numbered n
      ORDER BY n.tenant_priority DESC, CASE n.k WHEN 1 THEN n.turn ELSE greatest(n.turn, served) + n.k - 1 END,
        CASE n.k WHEN 1 THEN n.turn_since ELSE at END, n.run_id
      LIMIT room
    LOOP
      seen := seen || candidate.run_id;
      gave := gave || candidate.lane_id;
      SELECT * INTO verdict FROM runledger.admit(rooms, ARRAY['overall|', 'tenant|' || candidate.tenant_id,
        'project|' || candidate.tenant_id || '|' || candidate.project_id, 'workflow|' || candidate.plan_id,
        'concurrencyKey|' || candidate.tenant_id || '|' || candidate.concurrency_key], true, at);
      rooms := verdict.rooms;
      is_full.to_begin := is_full.to_begin || verdict.missing;
      IF 'concurrencyKey|' || candidate.tenant_id || '|' || candidate.concurrency_key = ANY (verdict.missing) THEN
        PERFORM runledger.hold_runs(candidate.tenant_id, candidate.concurrency_key);
      END IF;
      CONTINUE WHEN verdict.missing <> '{}';
      begun := begun || candidate.run_id;
      room := room - 1;
    END LOOP;
    unheld := '{}';
    IF cardinality(gave) < asked THEN -- no lane was cut off by the worker's room
      spent := spent || ARRAY(
        SELECT l.id FROM unnest(lanes) AS l (id)
        WHERE (SELECT count(*) FROM unnest(gave) AS g (id) WHERE g.id = l.id) < share
      );
    END IF;
  END LOOP;
  IF begun <> '{}' THEN
    RETURN QUERY SELECT * FROM runledger.take_runs(worker, begun, '{}', true, true, at);
    PERFORM runledger.note_begins(ARRAY(
      SELECT q.run_id FROM runledger.run_queue q WHERE q.run_id = ANY (begun) AND q.started_at = at
    ), served, at);
  END IF;
  FOREACH lane IN ARRAY spent LOOP
    PERFORM runledger.rest_lane(lane, at);
  END LOOP;
END
$function$;

-- Reserves a place in the queue under every limit of queued runs. Returns NULL, or scope and subject of a limit without a
-- place. The locked rows are released when the start commits.
CREATE FUNCTION runledger.reserve_place(tenant text, project text, plan text, key text) RETURNS text
LANGUAGE plpgsql VOLATILE
SET enable_seqscan = off
AS $function$
DECLARE
  l record;
  known runledger.limit_places;
BEGIN
  LOCK TABLE runledger.limits IN ROW SHARE MODE; -- a change of limits waits for starts that use the old ones
  FOR l IN
    SELECT s.scope, s.subject, f.max_queued
    FROM (VALUES
      ('overall', ''), ('tenant', tenant), ('project', tenant || '|' || project), ('workflow', plan),
      ('concurrencyKey', tenant || '|' || key)
    ) AS s (scope, subject)
    CROSS JOIN LATERAL runledger.limit_for(s.scope, s.subject) AS f
    WHERE f.max_queued IS NOT NULL AND s.subject IS NOT NULL
    ORDER BY s.scope, s.subject
  LOOP
    INSERT INTO runledger.limit_places VALUES (l.scope, l.subject, 0, '-infinity') ON CONFLICT DO NOTHING;
    SELECT * INTO known FROM runledger.limit_places p WHERE p.scope = l.scope AND p.subject = l.subject FOR UPDATE;
    -- Counting takes time: a queue that stays full is not counted for every refused start.
    IF known.places <= 0 AND known.counted_at + l.max_queued * interval '2 microseconds' < clock_timestamp() THEN
      known.places := l.max_queued - runledger.count_queued(l.scope, l.subject, l.max_queued);
      known.counted_at := clock_timestamp();
    END IF;
    UPDATE runledger.limit_places p SET places = greatest(0, known.places - 1), counted_at = known.counted_at
    WHERE p.scope = l.scope AND p.subject = l.subject;
    IF known.places <= 0 THEN RETURN l.scope || '|' || l.subject; END IF;
  END LOOP;
  RETURN NULL;
END
$function$;
