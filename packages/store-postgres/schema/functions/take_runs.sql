CREATE OR REPLACE FUNCTION runledger.take_runs(worker text, wanted text[], dead text[], has_slot boolean, begins boolean, at timestamp with time zone)
 RETURNS TABLE(run_id text, lease_epoch bigint, taken_from text, head_seq bigint, plan_id text, plan_version text, wakes bigint, slot boolean)
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
DECLARE
  locked text[] := runledger.lock_runs(wanted);
BEGIN
  RETURN QUERY
  WITH free AS (
    SELECT q.run_id, q.owner FROM runledger.run_queue q
    WHERE q.run_id = ANY (locked) AND (q.owner IS NULL OR q.owner = ANY (dead))
  ),
  leased AS (
    UPDATE runledger.run_heads h SET lease_owner = worker, lease_epoch = h.lease_epoch + 1
    FROM free f WHERE h.run_id = f.run_id
    RETURNING h.run_id, h.lease_epoch, f.owner AS taken_from, h.head_seq
  )
  UPDATE runledger.run_queue q
  SET owner = worker, slot = coalesce(has_slot, q.slot), held = q.held AND NOT begins,
    started_at = CASE WHEN begins THEN at ELSE q.started_at END
  FROM leased l WHERE q.run_id = l.run_id
  RETURNING q.run_id, l.lease_epoch, l.taken_from, l.head_seq, q.plan_id, q.plan_version, q.wakes, q.slot;
END
$function$
