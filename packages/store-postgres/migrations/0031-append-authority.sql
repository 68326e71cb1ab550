-- oldest-code: 11
-- The append authority of the log (P10), chosen when the schema is created like its partitions:
--   head      the lock of the head row numbers the events; no gaps (P2)
--   sequence  a database sequence per run numbers them before they are stored
--   redis     a counter in Redis does
-- The last two leave gaps that fill later or never do. Code before this migration cannot work on them; migrate() notes that.
DO $migration$
BEGIN
  EXECUTE format(
    'CREATE FUNCTION runledger.append_authority() RETURNS text LANGUAGE sql IMMUTABLE RETURN %L',
    coalesce(nullif(current_setting('runledger.authority', true), ''), 'head')
  );
END
$migration$;

-- Missing numbers up to here stay missing: an append with one of them is refused under the lock of this row. NULL if the
-- authority leaves no gaps, so that its rows do not grow.
ALTER TABLE runledger.run_heads ADD COLUMN settled_seq bigint;

-- The sequence of each run that is being appended to. Its name is a hash: a run id can be longer than a name.
CREATE TABLE runledger.run_sequence_registry (
  run_id   text COLLATE "C" PRIMARY KEY,
  seq_name text COLLATE "C" NOT NULL UNIQUE,
  made_at  timestamptz(3) NOT NULL DEFAULT clock_timestamp()
);

-- Draws numbers for several runs, above the heads that the caller has read. A number is drawn permanently: a transaction that
-- is rolled back does not return it. A run without a sequence gets one that starts above its head, so that a sequence that
-- was dropped too early repeats no stored number. The lock on the registry row keeps drop_run_sequences away.
CREATE FUNCTION runledger.draw_numbers(part_run text[], part_head bigint[], part_count integer[])
RETURNS TABLE (ordinal integer, numbers bigint[])
LANGUAGE plpgsql VOLATILE
AS $function$
DECLARE
  part record;
  sequence_name text;
  number bigint;
BEGIN
  FOR part IN
    SELECT p.ord, p.run_id, p.head, p.count
    FROM unnest(part_run, part_head, part_count) WITH ORDINALITY AS p (run_id, head, count, ord)
    ORDER BY p.run_id COLLATE "C"
  LOOP
    SELECT seq_name INTO sequence_name FROM runledger.run_sequence_registry WHERE run_id = part.run_id FOR KEY SHARE;
    IF NOT FOUND THEN
      sequence_name := runledger.make_run_sequence(part.run_id, part.head);
    END IF;
    numbers := '{}';
    FOR i IN 1 .. part.count LOOP
      number := nextval(format('runledger.%I', sequence_name));
      IF number <= part.head THEN -- the log grew without the sequence, as by an import
        PERFORM pg_advisory_xact_lock(hashtextextended(part.run_id, 7370030));
        number := nextval(format('runledger.%I', sequence_name));
        IF number <= part.head THEN
          number := setval(format('runledger.%I', sequence_name), part.head + 1);
        END IF;
      END IF;
      numbers := numbers || number;
    END LOOP;
    ordinal := part.ord;
    RETURN NEXT;
  END LOOP;
END
$function$;

-- Another session may make it at the same time: the registry's key lets one of them wait and find it.
CREATE FUNCTION runledger.make_run_sequence(for_run text, head bigint) RETURNS text
LANGUAGE plpgsql VOLATILE
AS $function$
DECLARE
  sequence_name text := 'run_seq_' || left(encode(sha256(convert_to(for_run, 'UTF8')), 'hex'), 40);
BEGIN
  INSERT INTO runledger.run_sequence_registry (run_id, seq_name) VALUES (for_run, sequence_name)
  ON CONFLICT DO NOTHING; -- both keys conflict, in any order
  IF FOUND THEN
    EXECUTE format('DROP SEQUENCE IF EXISTS runledger.%I', sequence_name);
    EXECUTE format('CREATE SEQUENCE runledger.%I START WITH %s', sequence_name, head + 1);
  ELSE
    PERFORM FROM runledger.run_sequence_registry WHERE run_id = for_run FOR KEY SHARE;
  END IF;
  RETURN sequence_name;
END
$function$;

-- One step of the cleanup: looks at the next registered runs in order, and drops the sequences of those that are archived,
-- deleted or finished. A finished run that is reopened gets a new sequence. Runs that changed in the last minute are left
-- alone. Returns the last run that it looked at, NULL at the end of the registry.
CREATE FUNCTION runledger.drop_run_sequences(after_run text, most integer)
RETURNS TABLE (last_run text, dropped integer)
LANGUAGE plpgsql VOLATILE
AS $function$
DECLARE
  old constant timestamptz := clock_timestamp() - interval '1 minute';
  looked_at integer := 0;
  candidate record;
BEGIN
  dropped := 0;
  FOR candidate IN
    SELECT r.run_id, r.seq_name, r.made_at < old AND (
      h.run_id IS NULL OR h.archived_at IS NOT NULL
      OR h.persisted_at < old AND s.status IN ('COMPLETED', 'FAILED', 'CANCELLED') AND s.last_event_seq >= h.head_seq
    ) AS is_over
    FROM (
      SELECT * FROM runledger.run_sequence_registry WHERE run_id > after_run ORDER BY run_id LIMIT most
    ) r
    LEFT JOIN runledger.run_heads h ON h.run_id = r.run_id
    LEFT JOIN runledger.run_snapshots s ON s.run_id = r.run_id
    ORDER BY r.run_id
  LOOP
    looked_at := looked_at + 1;
    last_run := candidate.run_id;
    CONTINUE WHEN NOT candidate.is_over;
    PERFORM FROM runledger.run_sequence_registry WHERE run_id = candidate.run_id FOR UPDATE SKIP LOCKED;
    CONTINUE WHEN NOT FOUND; -- an append draws from it now
    DELETE FROM runledger.run_sequence_registry WHERE run_id = candidate.run_id;
    EXECUTE format('DROP SEQUENCE IF EXISTS runledger.%I', candidate.seq_name);
    dropped := dropped + 1;
  END LOOP;
  IF looked_at < most THEN
    last_run := NULL;
  END IF;
  RETURN NEXT;
END
$function$;

-- Like append_slow, for events whose numbers were drawn before. Under the lock of the head, a number is refused if it was
-- settled or if another event has it; the caller then draws another one. NULL for an event needs none: the caller has
-- seen that it is stored. An append with a condition settles the numbers below its own, so that no event can take a place
-- before it that its caller has not seen (P3).
CREATE FUNCTION runledger.append_drawn(
  part_run text[], part_expected bigint[], part_fence bigint[], part_flags smallint[], part_tenant text[],
  part_checkpoint_seq bigint[], part_checkpoint_format integer[], part_checkpoint_data text[],
  part_checkpoint_checksum text[],
  event_part integer[], event_id uuid[], step_id text[], engine_attempt_id text[], logical_attempt_id text[],
  event_type text[], event_data jsonb[], idempotency_key text[], caused_by_signal_id text[], parent_event_id uuid[],
  emitted_at timestamptz[], adapter_version text[], engine_run_ref jsonb[], plan_id text[], plan_version text[],
  part_judged bigint[], part_judged_step text[], part_not_before timestamptz[], event_number bigint[]
)
RETURNS TABLE (
  ordinal integer, run_seq bigint, idempotent boolean, conflict boolean,
  refusal text, head_seq bigint, lease_epoch bigint
)
LANGUAGE plpgsql VOLATILE
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
AS $function$
#variable_conflict use_column
DECLARE
  -- Read before the locks: a run that must exist but appears only now is not locked, and so gets no events.
  part_exists boolean[] := ARRAY(
    SELECT p.flags & 1 = 0 OR (SELECT true FROM runledger.run_heads x WHERE x.run_id = p.run_id)
    FROM unnest(part_run, part_flags) WITH ORDINALITY AS p (run_id, flags, ord) ORDER BY p.ord
  );
BEGIN
  -- Locks every head in the order that all appends share (P8), and creates missing ones. A row that is not updated is
  -- locked too.
  INSERT INTO runledger.run_heads AS h (run_id, tenant_id, head_seq, persisted_at)
  SELECT DISTINCT ON (p.run_id COLLATE "C") p.run_id, p.tenant_id, 0, clock_timestamp()
  FROM unnest(part_run, part_tenant, part_exists) AS p (run_id, tenant_id, here)
  WHERE p.here
  ORDER BY p.run_id COLLATE "C"
  ON CONFLICT (run_id) DO UPDATE SET head_seq = h.head_seq WHERE false;

  RETURN QUERY
  WITH incoming AS (
    SELECT i.ord, i.part, i.key, part_run[i.part] AS run_id, coalesce(part_fence[i.part], 0) AS fence,
      part_flags[i.part] AS flags
    FROM (
      SELECT generate_subscripts(event_part, 1) AS ord, unnest(event_part) AS part, unnest(idempotency_key) AS key
    ) i
  ),
  compared AS (
    SELECT i.ord, i.part, i.run_id, i.key, h.head_seq AS old_head, h.lease_epoch AS epoch,
      greatest(h.persisted_at, clock_timestamp()) AS persisted_at,
      s.run_seq AS stored_seq, s.event_data AS stored_data,
      coalesce(event_number[i.ord] <= h.settled_seq, event_number[i.ord] IS NULL) OR EXISTS (
        SELECT FROM runledger.run_events l WHERE l.run_id = i.run_id AND l.run_seq = event_number[i.ord]
      ) AS is_taken,
      CASE
        WHEN part_exists[i.part] IS NOT TRUE OR (i.flags & 4 = 0 AND h.tenant_id <> part_tenant[i.part])
          THEN 'RUN_NOT_FOUND'
        WHEN h.archived_at IS NOT NULL THEN 'RUN_ARCHIVED'
        WHEN h.lease_epoch <> i.fence AND NOT (i.fence = 0 AND i.flags & 2 <> 0) THEN 'STALE_LEASE'
        WHEN part_expected[i.part] <> h.head_seq THEN 'SEQ_MISMATCH'
        WHEN part_judged[i.part] < h.head_seq AND EXISTS (
          SELECT FROM runledger.run_events l
          WHERE l.run_id = i.run_id AND l.run_seq > part_judged[i.part]
            AND (l.step_id IS NULL OR l.step_id = part_judged_step[i.part])
        ) THEN 'SEQ_MISMATCH'
      END AS verdict
    FROM incoming i
    LEFT JOIN runledger.run_heads h ON h.run_id = i.run_id
    LEFT JOIN LATERAL (
      SELECT l.run_seq, l.event_data FROM runledger.run_events l
      WHERE l.run_id = i.run_id AND l.idempotency_key = i.key
      UNION ALL
      SELECT a.run_seq, a.event_data FROM runledger.run_events_archive a
      WHERE h.archived_at IS NOT NULL AND a.run_id = i.run_id AND a.idempotency_key = i.key
    ) s ON true
  ),
  firsts AS (
    SELECT c.*, min(c.ord) OVER (PARTITION BY c.run_id, c.key) AS first_ord FROM compared c
  ),
  judged AS (
    SELECT c.*,
      -- A stored event is returned even if the conditions fail: a retry after a lost response must find its event.
      CASE WHEN c.verdict = 'RUN_NOT_FOUND' OR bool_or(c.stored_seq IS NULL) OVER (PARTITION BY c.part)
        THEN coalesce(c.verdict, CASE
          WHEN part_not_before[c.part] > min(c.persisted_at) OVER (PARTITION BY c.part) THEN 'SIGNAL_LIMIT'
          WHEN bool_or(c.stored_seq IS NULL AND c.verdict IS NULL AND c.ord = c.first_ord AND c.is_taken)
            OVER (PARTITION BY c.run_id) THEN 'NUMBER_TAKEN'
        END) END AS refused
    FROM firsts c
  ),
  numbered AS (
    SELECT j.*, n.is_new, event_number[j.first_ord] AS counted
    FROM judged j
    CROSS JOIN LATERAL (SELECT j.stored_seq IS NULL AND j.ord = j.first_ord AND j.refused IS NULL AS is_new) n
  ),
  placed AS MATERIALIZED (
    SELECT n.*, coalesce(n.stored_seq, n.counted) AS seq
    FROM numbered n
  ),
  stored AS (
    INSERT INTO runledger.run_events (run_id, run_seq, event_id, step_id, engine_attempt_id, logical_attempt_id,
      event_type, event_data, idempotency_key, caused_by_signal_id, parent_event_id, emitted_at, persisted_at,
      adapter_version, engine_run_ref, plan_id, plan_version, content_hash)
    SELECT p.run_id, p.seq, event_id[p.ord], step_id[p.ord], engine_attempt_id[p.ord], logical_attempt_id[p.ord],
      event_type[p.ord], event_data[p.ord], p.key, caused_by_signal_id[p.ord], parent_event_id[p.ord],
      emitted_at[p.ord], p.persisted_at, adapter_version[p.ord], engine_run_ref[p.ord], plan_id[p.ord],
      plan_version[p.ord],
      runledger.event_hash(p.seq, event_id[p.ord], emitted_at[p.ord], p.persisted_at, caused_by_signal_id[p.ord],
        event_data[p.ord])
    FROM placed p WHERE p.is_new
  ),
  advanced AS (
    UPDATE runledger.run_heads h SET head_seq = greatest(h.head_seq, g.head), persisted_at = g.persisted_at,
      settled_seq = CASE WHEN g.has_condition THEN greatest(h.settled_seq, g.first - 1) ELSE h.settled_seq END
    FROM (
      SELECT p.run_id, min(p.seq) AS first, max(p.seq) AS head, max(p.persisted_at) AS persisted_at,
        bool_or(part_expected[p.part] IS NOT NULL OR part_judged[p.part] IS NOT NULL) AS has_condition
      FROM placed p WHERE p.is_new GROUP BY p.run_id
    ) g
    WHERE h.run_id = g.run_id
    RETURNING h.run_id, h.head_seq
  ),
  announced AS (
    INSERT INTO runledger.change_feed (run_ids, head_seqs)
    SELECT array_agg(a.run_id), array_agg(a.head_seq) FROM advanced a HAVING count(*) > 0
  ),
  checkpointed AS (
    INSERT INTO runledger.checkpoints AS k (run_id, seq, format, data, checksum)
    SELECT DISTINCT ON (p.run_id) p.run_id, part_checkpoint_seq[p.part], part_checkpoint_format[p.part],
      part_checkpoint_data[p.part], part_checkpoint_checksum[p.part]
    FROM placed p
    WHERE p.is_new AND part_checkpoint_seq[p.part] <= p.old_head -- a call that writes no event saves no checkpoint
    ORDER BY p.run_id, p.ord
    ON CONFLICT (run_id) DO UPDATE
      SET seq = EXCLUDED.seq, format = EXCLUDED.format, data = EXCLUDED.data, checksum = EXCLUDED.checksum,
        created_at = clock_timestamp()
      WHERE EXCLUDED.seq > k.seq
  )
  SELECT p.ord, p.seq, NOT p.is_new,
    NOT p.is_new AND event_data[p.ord] <> coalesce(p.stored_data, event_data[p.first_ord]),
    p.refused, coalesce(p.old_head, 0), coalesce(p.epoch, 0)
  FROM placed p ORDER BY p.ord;
END
$function$;
