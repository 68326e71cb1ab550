CREATE OR REPLACE FUNCTION runledger.drop_run_sequences(after_run text, most integer)
 RETURNS TABLE(last_run text, dropped integer)
 LANGUAGE plpgsql
AS $function$
DECLARE
  old constant timestamptz := clock_timestamp() - interval '1 minute';
  looked_at integer := 0;
  candidate record;
BEGIN
  dropped := 0;
  FOR candidate IN
    SELECT r.run_id, r.seq_name, r.made_at < old AND (
      h.run_id IS NULL OR h.archived_at IS NOT NULL
      OR h.persisted_at < old AND s.status IN ('COMPLETED', 'FAILED', 'CANCELLED') AND s.last_event_seq >= h.head_seq
    ) AS is_over
    FROM (
      SELECT * FROM runledger.run_sequence_registry WHERE run_id > after_run ORDER BY run_id LIMIT most
    ) r
    LEFT JOIN runledger.run_heads h ON h.run_id = r.run_id
    LEFT JOIN runledger.run_snapshots s ON s.run_id = r.run_id
    ORDER BY r.run_id
  LOOP
    looked_at := looked_at + 1;
    last_run := candidate.run_id;
    CONTINUE WHEN NOT candidate.is_over;
    PERFORM FROM runledger.run_sequence_registry WHERE run_id = candidate.run_id FOR UPDATE SKIP LOCKED;
    CONTINUE WHEN NOT FOUND; -- an append draws from it now
    DELETE FROM runledger.run_sequence_registry WHERE run_id = candidate.run_id;
    EXECUTE format('DROP SEQUENCE IF EXISTS runledger.%I', candidate.seq_name);
    dropped := dropped + 1;
  END LOOP;
  IF looked_at < most THEN
    last_run := NULL;
  END IF;
  RETURN NEXT;
END
$function$
