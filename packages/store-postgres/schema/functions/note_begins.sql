CREATE OR REPLACE FUNCTION runledger.note_begins(begun text[], served bigint, at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM runledger.record_starts(begun, served, at);
END
$function$
