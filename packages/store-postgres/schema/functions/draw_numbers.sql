CREATE OR REPLACE FUNCTION runledger.draw_numbers(part_run text[], part_head bigint[], part_count integer[])
 RETURNS TABLE(ordinal integer, numbers bigint[])
 LANGUAGE plpgsql
AS $function$
DECLARE
  part record;
  sequence_name text;
  number bigint;
BEGIN
  FOR part IN
    SELECT p.ord, p.run_id, p.head, p.count
    FROM unnest(part_run, part_head, part_count) WITH ORDINALITY AS p (run_id, head, count, ord)
    ORDER BY p.run_id COLLATE "C"
  LOOP
    SELECT seq_name INTO sequence_name FROM runledger.run_sequence_registry WHERE run_id = part.run_id FOR KEY SHARE;
    IF NOT FOUND THEN
      sequence_name := runledger.make_run_sequence(part.run_id, part.head);
    END IF;
    numbers := '{}';
    FOR i IN 1 .. part.count LOOP
      number := nextval(format('runledger.%I', sequence_name));
      IF number <= part.head THEN -- the log grew without the sequence, as by an import
        PERFORM pg_advisory_xact_lock(hashtextextended(part.run_id, 7370030));
        number := nextval(format('runledger.%I', sequence_name));
        IF number <= part.head THEN
          number := setval(format('runledger.%I', sequence_name), part.head + 1);
        END IF;
      END IF;
      numbers := numbers || number;
    END LOOP;
    ordinal := part.ord;
    RETURN NEXT;
  END LOOP;
END
$function$
