CREATE OR REPLACE FUNCTION runledger.record_starts(started text[], served bigint, at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
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
$function$
