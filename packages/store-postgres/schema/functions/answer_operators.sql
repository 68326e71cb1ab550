CREATE OR REPLACE FUNCTION runledger.answer_operators(claim runledger.claim)
 RETURNS runledger.claim
 LANGUAGE plpgsql
AS $function$
BEGIN
  claim.claimed := claim.claimed || ARRAY(
    SELECT ROW(t.*)::runledger.claimed_run FROM runledger.take_runs(claim.worker, ARRAY(
      SELECT q.run_id FROM runledger.run_queue q
      WHERE q.acts_at <= claim.at AND q.owner IS NULL AND q.log_format <= claim.format
        AND (claim.tenants IS NULL OR q.tenant_id = ANY (claim.tenants))
        AND (q.plan_id, q.plan_version) IN (SELECT * FROM unnest(claim.plan_ids, claim.plan_versions))
      LIMIT 20
    ), '{}', false, false, claim.at) AS t
  );
  RETURN claim;
END
$function$
