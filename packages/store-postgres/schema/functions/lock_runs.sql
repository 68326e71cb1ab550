CREATE OR REPLACE FUNCTION runledger.lock_runs(wanted text[])
 RETURNS text[]
 LANGUAGE plpgsql
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
$function$
