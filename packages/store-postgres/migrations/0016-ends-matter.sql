-- oldest-code: 11
-- True = the end of a run may let another one begin: there are limits, or runs with concurrency keys.
CREATE FUNCTION runledger.ends_matter() RETURNS boolean
LANGUAGE plpgsql STABLE
SET enable_seqscan = off -- an index has the answer, however many are queued
AS $function$
BEGIN
  RETURN EXISTS (SELECT FROM runledger.limits)
    OR EXISTS (SELECT FROM runledger.run_queue q WHERE q.concurrency_key IS NOT NULL);
END
$function$;
