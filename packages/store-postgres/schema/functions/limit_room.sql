CREATE OR REPLACE FUNCTION runledger.limit_room(for_scope text, for_subject text, at timestamp with time zone, OUT to_run integer, OUT to_begin integer)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
AS $function$
DECLARE
  l runledger.limits;
  most integer;
BEGIN
  SELECT * INTO l FROM runledger.limit_for(for_scope, for_subject);
  most := CASE WHEN FOUND THEN l.max_running WHEN for_scope = 'concurrencyKey' THEN 1 END;
  to_begin := most - runledger.count_running(for_scope, for_subject, most);
  IF for_scope <> 'concurrencyKey' THEN to_run := to_begin; END IF; -- a started run has its key
  IF l.rate_starts IS NOT NULL THEN
    to_begin := least(to_begin, l.rate_starts - (
      SELECT count(*) FROM runledger.limit_starts s
      WHERE s.scope = for_scope AND s.subject = for_subject
        AND s.started_at > at - l.rate_ms * interval '1 millisecond'
    ));
  END IF;
END
$function$
