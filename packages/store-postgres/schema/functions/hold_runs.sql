CREATE OR REPLACE FUNCTION runledger.hold_runs(tenant text, key text)
 RETURNS void
 LANGUAGE sql
BEGIN ATOMIC
 UPDATE runledger.run_queue q SET held = true
    FROM ( SELECT w.run_id
            FROM runledger.run_queue w
           WHERE ((w.tenant_id = hold_runs.tenant) AND (w.concurrency_key = hold_runs.key) AND (NOT (w.started_at IS NOT NULL)) AND (NOT w.held) AND (w.owner IS NULL) AND (w.available_at <= clock_timestamp()))
          LIMIT 1000
          FOR UPDATE OF w SKIP LOCKED) waiting
   WHERE (q.run_id = waiting.run_id);
END
