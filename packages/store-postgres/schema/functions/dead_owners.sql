CREATE OR REPLACE FUNCTION runledger.dead_owners()
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE
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
$function$
