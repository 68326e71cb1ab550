CREATE OR REPLACE FUNCTION runledger.event_hash(run_seq bigint, event_id uuid, emitted_at timestamp with time zone, persisted_at timestamp with time zone, caused_by_signal_id text, event_data jsonb)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN hash_record_extended(ROW(run_seq, event_id, (emitted_at)::timestamp(3) with time zone, (persisted_at)::timestamp(3) with time zone, caused_by_signal_id, event_data), (0)::bigint)
