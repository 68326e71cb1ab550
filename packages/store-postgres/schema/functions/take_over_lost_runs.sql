CREATE OR REPLACE FUNCTION runledger.take_over_lost_runs(claim runledger.claim)
 RETURNS runledger.claim
 LANGUAGE plpgsql
AS $function$
DECLARE
  taken runledger.claimed_run[];
BEGIN
  PERFORM runledger.free_runs(claim.dead, claim.plan_ids, claim.plan_versions, claim.at, claim.tenants);
  taken := ARRAY(
    SELECT ROW(t.*)::runledger.claimed_run FROM runledger.take_runs(claim.worker, ARRAY(
      SELECT q.run_id FROM runledger.run_queue q
      WHERE q.owner = ANY (claim.dead) AND q.log_format <= claim.format
        AND (claim.tenants IS NULL OR q.tenant_id = ANY (claim.tenants))
        AND (q.plan_id, q.plan_version) IN (SELECT * FROM unnest(claim.plan_ids, claim.plan_versions))
      LIMIT claim.room
    ), claim.dead, NULL, false, claim.at) AS t
  );
  claim.room := claim.room - cardinality(taken);
  claim.claimed := claim.claimed || taken || ARRAY(
    SELECT ROW(t.*)::runledger.claimed_run FROM runledger.take_runs(claim.worker, ARRAY(
      SELECT q.run_id FROM runledger.run_queue q
      WHERE q.owner = ANY (claim.dead) AND q.acts_at <= claim.at AND q.log_format <= claim.format
        AND (claim.tenants IS NULL OR q.tenant_id = ANY (claim.tenants))
        AND (q.plan_id, q.plan_version) IN (SELECT * FROM unnest(claim.plan_ids, claim.plan_versions))
      LIMIT 20
    ), claim.dead, false, false, claim.at) AS t
  );
  RETURN claim;
END
$function$
