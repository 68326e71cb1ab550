CREATE OR REPLACE FUNCTION runledger.admit(INOUT rooms runledger.rooms, own text[], begins boolean, at timestamp with time zone, OUT missing text[])
 RETURNS record
 LANGUAGE plpgsql
 STABLE
AS $function$
DECLARE
  each text;
  place integer;
  room record;
BEGIN
  missing := '{}';
  own := ARRAY(SELECT o.each FROM unnest(own) AS o (each) WHERE split_part(o.each, '|', 1) = ANY (rooms.scopes));
  FOREACH each IN ARRAY own LOOP
    place := array_position(rooms.subjects, each);
    IF place IS NULL THEN
      SELECT * INTO room FROM runledger.limit_room(split_part(each, '|', 1), substr(each, strpos(each, '|') + 1), at);
      place := cardinality(rooms.subjects) + 1;
      rooms.subjects[place] := each;
      rooms.to_run[place] := room.to_run;
      rooms.to_begin[place] := room.to_begin;
    END IF;
    IF (CASE WHEN begins THEN rooms.to_begin[place] ELSE rooms.to_run[place] END) <= 0 THEN
      missing := missing || each;
    END IF;
  END LOOP;
  IF missing <> '{}' THEN RETURN; END IF;
  FOREACH each IN ARRAY own LOOP
    place := array_position(rooms.subjects, each);
    rooms.to_run[place] := rooms.to_run[place] - 1;
    rooms.to_begin[place] :=
      CASE WHEN begins THEN rooms.to_begin[place] - 1 ELSE least(rooms.to_begin[place], rooms.to_run[place]) END;
  END LOOP;
END
$function$
