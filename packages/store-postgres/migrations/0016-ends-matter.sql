-- oldest-code: 11
-- True if a run that finishes may let another one start, because limits are set or runs have concurrency keys.
CREATE FUNCTION runledger.ends_matter() RETURNS boolean
LANGUAGE plpgsql STABLE
SET enable_seqscan = off -- an index gives the answer, no matter how many runs are queued
AS $function$
BEGIN
  RETURN EXISTS (SELECT FROM runledger.limits)
    OR EXISTS (SELECT FROM runledger.run_queue q WHERE q.concurrency_key IS NOT NULL);
END
$function$;
