CREATE OR REPLACE FUNCTION runledger.make_run_sequence(for_run text, head bigint)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
DECLARE
  sequence_name text := 'run_seq_' || left(encode(sha256(convert_to(for_run, 'UTF8')), 'hex'), 40);
BEGIN
  INSERT INTO runledger.run_sequence_registry (run_id, seq_name) VALUES (for_run, sequence_name)
  ON CONFLICT DO NOTHING; -- both keys conflict, in any order
  IF FOUND THEN
    EXECUTE format('DROP SEQUENCE IF EXISTS runledger.%I', sequence_name);
    EXECUTE format('CREATE SEQUENCE runledger.%I START WITH %s', sequence_name, head + 1);
  ELSE
    PERFORM FROM runledger.run_sequence_registry WHERE run_id = for_run FOR KEY SHARE;
  END IF;
  RETURN sequence_name;
END
$function$
