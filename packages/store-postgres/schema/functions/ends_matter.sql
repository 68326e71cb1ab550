CREATE OR REPLACE FUNCTION runledger.ends_matter()
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
AS $function$
BEGIN
  RETURN runledger.may_unblock_others();
END
$function$
