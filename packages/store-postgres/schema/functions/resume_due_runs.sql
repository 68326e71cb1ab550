CREATE OR REPLACE FUNCTION runledger.resume_due_runs(claim runledger.claim)
 RETURNS runledger.claim
 LANGUAGE plpgsql
AS $function$
DECLARE
  capacity runledger.rooms := claim.capacity;
  candidate record;
  verdict record;
  chosen text[] := '{}';
  met_full_limit boolean;
BEGIN
  FOR round IN 1 .. 5 LOOP
    EXIT WHEN claim.room <= 0 OR 'overall|' = ANY (claim.full_to_run);
    met_full_limit := false;
    FOR candidate IN
      SELECT r.* FROM unnest(claim.plan_ids, claim.plan_versions) AS p (plan_id, plan_version)
      CROSS JOIN LATERAL (
        SELECT q.run_id, q.tenant_id, q.project_id, q.plan_id, q.available_at FROM runledger.run_queue q
        WHERE q.plan_id = p.plan_id AND q.plan_version = p.plan_version AND q.started_at IS NOT NULL AND q.owner IS NULL
          AND q.available_at <= claim.at AND q.log_format <= claim.format AND q.run_id <> ALL (chosen)
          AND (claim.tenants IS NULL OR q.tenant_id = ANY (claim.tenants))
          AND 'tenant|' || q.tenant_id <> ALL (claim.full_to_run)
          AND 'workflow|' || q.plan_id <> ALL (claim.full_to_run)
          AND 'project|' || q.tenant_id || '|' || q.project_id <> ALL (claim.full_to_run)
        ORDER BY q.available_at LIMIT claim.room
      ) AS r
      ORDER BY r.available_at LIMIT claim.room
    LOOP
      verdict := runledger.admit(capacity, ARRAY['overall|', 'tenant|' || candidate.tenant_id,
        'project|' || candidate.tenant_id || '|' || candidate.project_id, 'workflow|' || candidate.plan_id],
        false, claim.at);
      capacity := verdict.rooms;
      IF verdict.missing <> '{}' THEN
        met_full_limit := true;
        claim.full_to_run := claim.full_to_run || verdict.missing;
        claim.full_to_start := claim.full_to_start || verdict.missing;
      ELSE
        chosen := chosen || candidate.run_id;
        claim.room := claim.room - 1;
      END IF;
    END LOOP;
    EXIT WHEN NOT met_full_limit;
  END LOOP;
  claim.capacity := capacity;
  IF chosen <> '{}' THEN
    claim.claimed := claim.claimed || ARRAY(
      SELECT ROW(t.*)::runledger.claimed_run
      FROM runledger.take_runs(claim.worker, chosen, claim.dead, true, false, claim.at) AS t
    );
  END IF;
  RETURN claim;
END
$function$
