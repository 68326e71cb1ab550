CREATE OR REPLACE FUNCTION runledger.start_queued_runs(claim runledger.claim)
 RETURNS runledger.claim
 LANGUAGE plpgsql
AS $function$
DECLARE
  capacity runledger.rooms := claim.capacity;
  served bigint := coalesce((SELECT t.turn FROM runledger.queue_turn t), 0);
  unheld text[] := '{}';
  wanted integer;
  next record;
  offers bigint[]; -- the lane of each candidate
  spent bigint[] := '{}'; -- lanes that have offered all of their due runs
  candidate record;
  key text;
  verdict record;
  seen text[] := '{}';
  chosen text[] := '{}';
  lane bigint;
BEGIN
  IF claim.room > 0 AND EXISTS (SELECT FROM runledger.run_queue q WHERE q.held) THEN
    unheld := runledger.unheld_runs(claim);
  END IF;
  FOR round IN 1 .. 5 LOOP
    EXIT WHEN claim.room <= 0 OR 'overall|' = ANY (claim.full_to_start);
    wanted := claim.room;
    offers := '{}';
    next := runledger.next_lanes(claim, spent);
    EXIT WHEN next.lanes = '{}' AND unheld = '{}';
    FOR candidate IN SELECT * FROM runledger.queued_candidates(claim, next.lanes, next.share, unheld, seen, served) LOOP
      seen := seen || candidate.run_id;
      offers := offers || candidate.lane_id;
      key := 'concurrencyKey|' || candidate.tenant_id || '|' || candidate.concurrency_key;
      verdict := runledger.admit(capacity, ARRAY['overall|', 'tenant|' || candidate.tenant_id,
        'project|' || candidate.tenant_id || '|' || candidate.project_id, 'workflow|' || candidate.plan_id, key],
        true, claim.at);
      capacity := verdict.rooms;
      claim.full_to_start := claim.full_to_start || verdict.missing;
      IF key = ANY (verdict.missing) THEN
        PERFORM runledger.hold_runs(candidate.tenant_id, candidate.concurrency_key);
      END IF;
      CONTINUE WHEN verdict.missing <> '{}';
      chosen := chosen || candidate.run_id;
      claim.room := claim.room - 1;
    END LOOP;
    unheld := '{}';
    IF cardinality(offers) < wanted THEN -- no lane was cut off by the worker's room
      spent := spent || ARRAY(
        SELECT l.id FROM unnest(next.lanes) AS l (id)
        WHERE (SELECT count(*) FROM unnest(offers) AS o (id) WHERE o.id = l.id) < next.share
      );
    END IF;
  END LOOP;
  claim.capacity := capacity;
  IF chosen <> '{}' THEN
    claim.claimed := claim.claimed || ARRAY(
      SELECT ROW(t.*)::runledger.claimed_run
      FROM runledger.take_runs(claim.worker, chosen, '{}', true, true, claim.at) AS t
    );
    PERFORM runledger.record_starts(ARRAY(
      SELECT q.run_id FROM runledger.run_queue q WHERE q.run_id = ANY (chosen) AND q.started_at = claim.at
    ), served, claim.at);
  END IF;
  FOREACH lane IN ARRAY spent LOOP
    PERFORM runledger.close_or_delay_lane(lane, claim.at);
  END LOOP;
  RETURN claim;
END
$function$
