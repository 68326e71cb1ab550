CREATE OR REPLACE FUNCTION runledger.queued_candidates(claim runledger.claim, lanes bigint[], share integer, unheld text[], seen text[], served bigint)
 RETURNS TABLE(lane_id bigint, run_id text, tenant_id text, project_id text, plan_id text, concurrency_key text)
 LANGUAGE plpgsql
 STABLE ROWS 20
AS $function$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  WITH heads AS (
    SELECT l.lane_id, h.run_id, h.concurrency_key, h.available_at, l.priority + h.priority AS priority, l.tenant_id,
      l.project_id, l.plan_id, l.tenant_priority, l.turn, l.turn_since
    FROM runledger.queue_lanes l CROSS JOIN LATERAL (
      SELECT q.run_id, q.priority, q.available_at, q.concurrency_key FROM runledger.run_queue q
      WHERE q.lane_id = l.lane_id AND NOT q.held AND q.started_at IS NULL AND q.owner IS NULL
        AND q.available_at <= claim.at AND q.run_id <> ALL (seen)
      ORDER BY q.priority DESC, q.available_at, q.run_id LIMIT share
    ) AS h
    WHERE l.lane_id = ANY (lanes) AND NOT l.has_delayed
    UNION ALL
    SELECT l.lane_id, h.run_id, h.concurrency_key, h.available_at, l.priority + h.priority, l.tenant_id,
      l.project_id, l.plan_id, l.tenant_priority, l.turn, l.turn_since
    FROM runledger.queue_lanes l CROSS JOIN LATERAL runledger.lane_heads(l.lane_id, claim.at, seen, share) AS h
    WHERE l.lane_id = ANY (lanes) AND l.has_delayed
    UNION ALL
    SELECT NULL, q.run_id, q.concurrency_key, q.available_at, l.priority + q.priority, l.tenant_id,
      l.project_id, l.plan_id, l.tenant_priority, l.turn, l.turn_since
    FROM runledger.run_queue q JOIN runledger.queue_lanes l ON l.lane_id = q.lane_id
    WHERE q.run_id = ANY (unheld) AND q.run_id <> ALL (seen)
      AND 'tenant|' || q.tenant_id <> ALL (claim.full_to_start) AND 'workflow|' || q.plan_id <> ALL (claim.full_to_start)
      AND 'project|' || q.tenant_id || '|' || q.project_id <> ALL (claim.full_to_start)
  ),
  numbered AS (
    SELECT h.*, row_number() OVER (PARTITION BY h.tenant_id ORDER BY h.priority DESC, h.available_at, h.run_id) AS k
    FROM heads h
  )
  SELECT n.lane_id, n.run_id, n.tenant_id, n.project_id, n.plan_id, n.concurrency_key FROM numbered n
  ORDER BY n.tenant_priority DESC, CASE n.k WHEN 1 THEN n.turn ELSE greatest(n.turn, served) + n.k - 1 END,
    CASE n.k WHEN 1 THEN n.turn_since ELSE claim.at END, n.run_id
  LIMIT claim.room;
END
$function$
