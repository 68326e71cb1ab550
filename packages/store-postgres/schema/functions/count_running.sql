CREATE OR REPLACE FUNCTION runledger.count_running(for_scope text, for_subject text, at_most integer)
 RETURNS integer
 LANGUAGE plpgsql
 STABLE STRICT
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
$function$
