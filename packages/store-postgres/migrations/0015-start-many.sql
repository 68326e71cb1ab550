-- oldest-code: 11
-- Starts of several runs in one statement.

-- Reserves places in the queue for several runs at once, under every limit of how many may wait; null = there is one for
-- each, else scope and subject of a limit that has not as many. The rows are locked in one order, whoever is among the
-- runs, and let go when the start commits.
CREATE FUNCTION runledger.reserve_places(tenants text[], projects text[], plans text[], keys text[]) RETURNS text
LANGUAGE plpgsql VOLATILE
SET enable_seqscan = off
AS $function$
DECLARE
  l record;
  known runledger.limit_places;
BEGIN
  LOCK TABLE runledger.limits IN ROW SHARE MODE; -- once a limit is set nobody starts by the old one
  IF NOT EXISTS (SELECT FROM runledger.limits) THEN RETURN NULL; END IF;
  FOR l IN
    SELECT s.scope, s.subject, f.max_queued, count(*)::integer AS wanted
    FROM unnest(tenants, projects, plans, keys) AS r (tenant, project, plan, key)
    CROSS JOIN LATERAL (VALUES
      ('overall', ''), ('tenant', r.tenant), ('project', r.tenant || '|' || r.project), ('workflow', r.plan),
      ('concurrencyKey', r.tenant || '|' || r.key)
    ) AS s (scope, subject)
    CROSS JOIN LATERAL runledger.limit_for(s.scope, s.subject) AS f
    WHERE f.max_queued IS NOT NULL AND s.subject IS NOT NULL
    GROUP BY s.scope, s.subject, f.max_queued
    ORDER BY s.scope, s.subject
  LOOP
    INSERT INTO runledger.limit_places VALUES (l.scope, l.subject, 0, '-infinity') ON CONFLICT DO NOTHING;
    SELECT * INTO known FROM runledger.limit_places p WHERE p.scope = l.scope AND p.subject = l.subject FOR UPDATE;
    -- To count takes time; a queue that stays full is not counted for everybody who is refused.
    IF known.places < l.wanted AND known.counted_at + l.max_queued * interval '2 microseconds' < clock_timestamp() THEN
      known.places := l.max_queued - runledger.count_queued(l.scope, l.subject, l.max_queued);
      known.counted_at := clock_timestamp();
    END IF;
    UPDATE runledger.limit_places p
    SET places = greatest(0, CASE WHEN known.places < l.wanted THEN known.places ELSE known.places - l.wanted END),
      counted_at = known.counted_at
    WHERE p.scope = l.scope AND p.subject = l.subject;
    IF known.places < l.wanted THEN RETURN l.scope || '|' || l.subject; END IF;
  END LOOP;
  RETURN NULL;
END
$function$;

CREATE OR REPLACE FUNCTION runledger.reserve_place(tenant text, project text, plan text, key text) RETURNS text
LANGUAGE sql VOLATILE
RETURN runledger.reserve_places(ARRAY[tenant], ARRAY[project], ARRAY[plan], ARRAY[key]);
