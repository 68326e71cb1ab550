CREATE OR REPLACE FUNCTION runledger.unheld_runs(claim runledger.claim)
 RETURNS text[]
 LANGUAGE plpgsql
AS $function$
DECLARE
  from_key text := coalesce(CASE WHEN claim.tenants IS NULL THEN (SELECT t.last_key FROM runledger.queue_turn t)
    ELSE (SELECT w.last_key FROM runledger.workers w WHERE w.worker_id = claim.worker) END, '');
  first_tenant text COLLATE "C" := split_part(from_key, '|', 1);
  first_key text COLLATE "C" := substr(from_key, length(first_tenant) + 2);
  tenant text COLLATE "C" := first_tenant;
  key text COLLATE "C" := first_key;
  wrapped boolean := from_key = '';
  room integer;
  looked integer := 0;
  next_key text;
  unheld text[] := '{}';
BEGIN
  WHILE looked < 100 LOOP
    SELECT n.tenant, n.key INTO tenant, key FROM runledger.next_held_key(claim, tenant, key) AS n;
    IF tenant IS NULL THEN
      EXIT WHEN wrapped;
      wrapped := true;
      tenant := '';
      key := '';
      CONTINUE;
    END IF;
    EXIT WHEN wrapped AND from_key <> '' AND (tenant, key) > (first_tenant, first_key);
    looked := looked + 1;
    SELECT r.to_begin INTO room FROM runledger.limit_room('concurrencyKey', tenant || '|' || key, claim.at) AS r;
    CONTINUE WHEN room <= 0;
    unheld := unheld || ARRAY(
      SELECT q.run_id FROM runledger.run_queue q
      WHERE q.held AND q.tenant_id = tenant AND q.concurrency_key = key AND q.owner IS NULL
        AND q.log_format <= claim.format
        AND (q.plan_id, q.plan_version) IN (SELECT * FROM unnest(claim.plan_ids, claim.plan_versions))
      ORDER BY q.priority DESC, q.available_at LIMIT coalesce(room, 100)
    );
  END LOOP;
  next_key := CASE WHEN looked = 100 THEN tenant || '|' || key ELSE '' END;
  IF next_key = from_key THEN RETURN unheld; END IF;
  IF claim.tenants IS NULL THEN
    INSERT INTO runledger.queue_turn AS t (turn, last_key) VALUES (0, next_key)
    ON CONFLICT (one) DO UPDATE SET last_key = EXCLUDED.last_key;
  ELSE
    UPDATE runledger.workers w SET last_key = next_key WHERE w.worker_id = claim.worker;
  END IF;
  RETURN unheld;
END
$function$
