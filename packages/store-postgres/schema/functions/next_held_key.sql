CREATE OR REPLACE FUNCTION runledger.next_held_key(claim runledger.claim, INOUT tenant text, INOUT key text)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
AS $function$
DECLARE
  after_tenant text := tenant;
  after_key text := key;
BEGIN
  IF claim.tenants IS NULL THEN
    SELECT q.tenant_id, q.concurrency_key INTO tenant, key FROM runledger.run_queue q
    WHERE q.held AND (q.tenant_id, q.concurrency_key) > (after_tenant, after_key)
    ORDER BY q.tenant_id, q.concurrency_key LIMIT 1;
  ELSE
    SELECT n.tenant_id, n.concurrency_key INTO tenant, key FROM unnest(claim.tenants) AS t (id)
    CROSS JOIN LATERAL (
      SELECT q.tenant_id, q.concurrency_key FROM runledger.run_queue q
      WHERE q.held AND q.tenant_id = t.id AND (q.tenant_id, q.concurrency_key) > (after_tenant, after_key)
      ORDER BY q.tenant_id, q.concurrency_key LIMIT 1
    ) AS n
    ORDER BY n.tenant_id, n.concurrency_key LIMIT 1;
  END IF;
END
$function$
