CREATE OR REPLACE FUNCTION runledger.append_drawn(part_run text[], part_expected bigint[], part_fence bigint[], part_flags smallint[], part_tenant text[], part_checkpoint_seq bigint[], part_checkpoint_format integer[], part_checkpoint_data text[], part_checkpoint_checksum text[], event_part integer[], event_id uuid[], step_id text[], engine_attempt_id text[], logical_attempt_id text[], event_type text[], event_data jsonb[], idempotency_key text[], caused_by_signal_id text[], parent_event_id uuid[], emitted_at timestamp with time zone[], adapter_version text[], engine_run_ref jsonb[], plan_id text[], plan_version text[], part_judged bigint[], part_judged_step text[], part_not_before timestamp with time zone[], event_number bigint[])
 RETURNS TABLE(ordinal integer, run_seq bigint, idempotent boolean, conflict boolean, refusal text, head_seq bigint, lease_epoch bigint)
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
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
$function$
