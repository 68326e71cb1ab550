CREATE OR REPLACE FUNCTION runledger.full_subjects(at timestamp with time zone, OUT to_run text[], OUT to_begin text[])
 RETURNS record
 LANGUAGE plpgsql
 STABLE
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
$function$
