CREATE OR REPLACE FUNCTION runledger.limit_priority(for_scope text, for_subject text)
 RETURNS integer
 LANGUAGE sql
 STABLE
RETURN COALESCE((SELECT l.priority FROM runledger.limits l WHERE ((l.scope = limit_priority.for_scope) AND (l.subject = ANY (ARRAY[limit_priority.for_subject, '*'::text]))) ORDER BY (l.subject = '*'::text) LIMIT 1), 0)
