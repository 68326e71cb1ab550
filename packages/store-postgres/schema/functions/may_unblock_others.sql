CREATE OR REPLACE FUNCTION runledger.may_unblock_others()
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET enable_seqscan TO 'off'
AS $function$
BEGIN
  RETURN EXISTS (SELECT FROM runledger.limits)
    OR EXISTS (SELECT FROM runledger.run_queue q WHERE q.concurrency_key IS NOT NULL);
END
$function$
