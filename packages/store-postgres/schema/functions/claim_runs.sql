CREATE OR REPLACE FUNCTION runledger.claim_runs(worker text, plan_ids text[], plan_versions text[], format integer, wanted integer, only_tenants text[] DEFAULT NULL::text[])
 RETURNS TABLE(run_id text, lease_epoch bigint, taken_from text, head_seq bigint, plan_id text, plan_version text, wakes bigint, slot boolean)
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
#variable_conflict use_column
DECLARE
  claim runledger.claim;
  claim_time timestamptz;
  is_full record;
  limited_scopes text[];
BEGIN
  IF NOT EXISTS (SELECT FROM runledger.workers w WHERE w.worker_id = worker AND w.expires_at > clock_timestamp()) THEN
    RETURN;
  END IF;
  LOCK TABLE runledger.limits IN ROW SHARE MODE; -- a change of limits waits for claims that use the old ones
  PERFORM pg_advisory_xact_lock('runledger.run_queue'::regclass::oid::integer, 1);
  claim_time := clock_timestamp();
  is_full := runledger.full_subjects(claim_time);
  limited_scopes := ARRAY(SELECT DISTINCT l.scope FROM runledger.limits l) || 'concurrencyKey'::text;
  claim := ROW(worker, plan_ids, plan_versions, format, claim_time, wanted, runledger.dead_owners(), is_full.to_run,
    is_full.to_begin, ROW(limited_scopes, '{}', '{}', '{}')::runledger.rooms, '{}', only_tenants);

  IF claim.dead <> '{}' THEN
    claim := runledger.take_over_lost_runs(claim);
  END IF;
  claim := runledger.resume_due_runs(claim);
  IF EXISTS (SELECT FROM runledger.run_queue q WHERE q.acts_at <= claim.at AND q.owner IS NULL) THEN
    claim := runledger.answer_operators(claim);
  END IF;
  claim := runledger.start_queued_runs(claim);
  IF claim.claimed <> '{}' THEN
    RETURN QUERY SELECT c.* FROM unnest(claim.claimed) AS c;
  END IF;
END
$function$
