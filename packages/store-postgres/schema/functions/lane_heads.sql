CREATE OR REPLACE FUNCTION runledger.lane_heads(in_lane bigint, at timestamp with time zone, seen text[], wanted integer)
 RETURNS TABLE(run_id text, priority integer, available_at timestamp with time zone, concurrency_key text)
 LANGUAGE plpgsql
 STABLE ROWS 5
AS $function$
#variable_conflict use_column
DECLARE
  level integer;
  missing integer := wanted;
  got integer;
BEGIN
  SELECT q.priority INTO level FROM runledger.run_queue q
  WHERE q.lane_id = in_lane AND NOT q.held AND q.started_at IS NULL ORDER BY q.priority DESC LIMIT 1;
  WHILE level IS NOT NULL AND missing > 0 LOOP
    RETURN QUERY SELECT q.run_id, q.priority, q.available_at, q.concurrency_key FROM runledger.run_queue q
    WHERE q.lane_id = in_lane AND NOT q.held AND q.priority = level AND q.available_at <= at AND q.started_at IS NULL
      AND q.owner IS NULL AND q.run_id <> ALL (seen)
    ORDER BY q.available_at, q.run_id LIMIT missing;
    GET DIAGNOSTICS got = ROW_COUNT;
    missing := missing - got;
    SELECT q.priority INTO level FROM runledger.run_queue q
    WHERE q.lane_id = in_lane AND NOT q.held AND q.started_at IS NULL AND q.priority < level
    ORDER BY q.priority DESC LIMIT 1;
  END LOOP;
END
$function$
