CREATE OR REPLACE FUNCTION runledger.count_queued(for_scope text, for_subject text, at_most integer)
 RETURNS integer
 LANGUAGE plpgsql
 STABLE
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
$function$
