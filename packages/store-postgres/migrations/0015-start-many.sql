-- oldest-code: 11
-- Starts several runs in one statement.

-- Reserves places in the queue for several runs, under every limit of queued runs. Returns NULL, or scope and subject of a
-- limit with too few places. All starts lock the rows in the same order, and release them when they commit.
CREATE FUNCTION runledger.reserve_places(tenants text[], projects text[], plans text[], keys text[]) RETURNS text
LANGUAGE plpgsql VOLATILE
SET enable_seqscan = off
AS $function$
DECLARE
  l record;
  known runledger.limit_places;
BEGIN
  LOCK TABLE runledger.limits IN ROW SHARE MODE; -- a change of limits waits for starts that use the old ones
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
    -- Counting takes time: a queue that stays full is not counted for every refused start.
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
