CREATE OR REPLACE FUNCTION runledger.free_runs(dead text[], plan_ids text[], plan_versions text[], at timestamp with time zone, only_tenants text[] DEFAULT NULL::text[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
DECLARE
  locked text[] := runledger.lock_runs(ARRAY(
    SELECT q.run_id FROM runledger.run_queue q
    WHERE q.owner = ANY (dead) AND NOT EXISTS (
      SELECT FROM unnest(plan_ids, plan_versions) AS p (plan_id, plan_version)
      WHERE p.plan_id = q.plan_id AND p.plan_version = q.plan_version
        AND (only_tenants IS NULL OR q.tenant_id = ANY (only_tenants))
    )
    LIMIT 100
  ));
BEGIN
  UPDATE runledger.run_heads h SET lease_owner = NULL, lease_epoch = h.lease_epoch + 1
  FROM runledger.run_queue q WHERE h.run_id = ANY (locked) AND q.run_id = h.run_id AND q.owner = ANY (dead);
  UPDATE runledger.run_queue q
  SET owner = NULL, slot = false,
    available_at = CASE WHEN q.started_at IS NULL THEN q.available_at ELSE at END,
    lane_id = CASE WHEN q.started_at IS NULL THEN
      runledger.open_lane(q.tenant_id, q.project_id, q.plan_id, q.plan_version, q.log_format, q.available_at)
    END
  WHERE q.run_id = ANY (locked) AND q.owner = ANY (dead);
END
$function$
