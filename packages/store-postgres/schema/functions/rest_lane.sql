CREATE OR REPLACE FUNCTION runledger.rest_lane(in_lane bigint, at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM runledger.close_or_delay_lane(in_lane, at);
END
$function$
