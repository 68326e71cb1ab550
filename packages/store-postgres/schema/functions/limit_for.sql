CREATE OR REPLACE FUNCTION runledger.limit_for(for_scope text, for_subject text)
 RETURNS SETOF runledger.limits
 LANGUAGE sql
 STABLE ROWS 1
BEGIN ATOMIC
 SELECT l.scope,
     l.subject,
     l.max_running,
     l.rate_starts,
     l.rate_ms,
     l.max_queued,
     l.priority
    FROM runledger.limits l
   WHERE ((l.scope = limit_for.for_scope) AND (l.subject = ANY (ARRAY[limit_for.for_subject, '*'::text])))
   ORDER BY (l.subject = '*'::text)
  LIMIT 1;
END
