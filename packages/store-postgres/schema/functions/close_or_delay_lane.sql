CREATE OR REPLACE FUNCTION runledger.close_or_delay_lane(in_lane bigint, at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
DECLARE
  next_due timestamptz := 'infinity';
  level integer := 2147483647;
  first_at timestamptz;
BEGIN
  IF EXISTS (SELECT FROM runledger.lane_heads(in_lane, at, '{}', 1)) THEN RETURN; END IF;
  PERFORM FROM runledger.queue_lanes l WHERE l.lane_id = in_lane FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN RETURN; END IF;
  IF NOT EXISTS (SELECT FROM runledger.run_queue q WHERE q.lane_id = in_lane AND q.started_at IS NULL) THEN
    DELETE FROM runledger.queue_lanes l WHERE l.lane_id = in_lane;
    RETURN;
  END IF;
  LOOP
    SELECT q.priority, q.available_at INTO level, first_at FROM runledger.run_queue q
    WHERE q.lane_id = in_lane AND NOT q.held AND q.started_at IS NULL AND q.priority <= level
    ORDER BY q.priority DESC, q.available_at LIMIT 1;
    EXIT WHEN NOT FOUND;
    next_due := least(next_due, first_at);
    EXIT WHEN next_due <= at;
    level := level - 1;
  END LOOP;
  UPDATE runledger.queue_lanes l SET due_at = next_due WHERE l.lane_id = in_lane AND l.due_at < next_due;
END
$function$
