CREATE OR REPLACE FUNCTION runledger.next_lanes(claim runledger.claim, spent bigint[], OUT lanes bigint[], OUT share integer)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
AS $function$
DECLARE
  tenants text[];
BEGIN
  lanes := '{}';
  IF claim.tenants IS NULL THEN
    tenants := ARRAY(
      SELECT l.tenant_id FROM unnest(claim.plan_ids, claim.plan_versions) AS p (plan_id, plan_version)
      CROSS JOIN LATERAL (
        SELECT a.tenant_id, a.tenant_priority, a.turn, a.turn_since FROM runledger.queue_lanes a
        WHERE a.plan_id = p.plan_id AND a.plan_version = p.plan_version AND a.due_at <= claim.at
          AND a.log_format <= claim.format AND 'tenant|' || a.tenant_id <> ALL (claim.full_to_start)
          AND 'workflow|' || a.plan_id <> ALL (claim.full_to_start)
          AND 'project|' || a.tenant_id || '|' || a.project_id <> ALL (claim.full_to_start)
          AND a.lane_id <> ALL (spent)
        ORDER BY a.tenant_priority DESC, a.turn, a.turn_since LIMIT claim.room
      ) AS l
      ORDER BY l.tenant_priority DESC, l.turn, l.turn_since LIMIT claim.room
    );
  ELSE -- few tenants: reads their lanes instead of passing over the lanes of others
    tenants := ARRAY(
      SELECT t.id FROM unnest(claim.tenants) AS t (id)
      WHERE 'tenant|' || t.id <> ALL (claim.full_to_start) AND EXISTS (
        SELECT FROM runledger.queue_lanes a
        WHERE a.tenant_id = t.id AND a.due_at <= claim.at AND a.log_format <= claim.format AND a.lane_id <> ALL (spent)
          AND (a.plan_id, a.plan_version) IN (SELECT * FROM unnest(claim.plan_ids, claim.plan_versions))
      )
    );
  END IF;
  IF tenants = '{}' THEN RETURN; END IF;
  lanes := ARRAY(
    SELECT a.lane_id FROM runledger.queue_lanes a
    WHERE a.tenant_id = ANY (tenants) AND a.due_at <= claim.at AND a.log_format <= claim.format
      AND a.lane_id <> ALL (spent)
      AND (a.plan_id, a.plan_version) IN (SELECT * FROM unnest(claim.plan_ids, claim.plan_versions))
      AND 'workflow|' || a.plan_id <> ALL (claim.full_to_start)
      AND 'project|' || a.tenant_id || '|' || a.project_id <> ALL (claim.full_to_start)
    ORDER BY a.turn, a.priority DESC, a.lane_id LIMIT 200
  );
  SELECT ceil(claim.room::numeric / count(DISTINCT t.id)) INTO share FROM unnest(tenants) AS t (id);
END
$function$
