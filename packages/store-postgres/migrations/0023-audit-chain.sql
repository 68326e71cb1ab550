-- oldest-code: 11
-- The audit log names actors by id and kind, counts repeated denials, and is a hash chain. Each entry has a number without
-- gaps, and a hash of its fields and the previous hash. audit_chain holds both ends; writers lock its row.
--
-- Entries of earlier versions have neither number nor hash.
ALTER TABLE runledger.audit_log
  ADD COLUMN actor_kind text NOT NULL DEFAULT 'unknown',
  ADD COLUMN actor_id text,
  ADD COLUMN key_id text,
  ADD COLUMN call_count integer NOT NULL DEFAULT 1,
  ADD COLUMN chain_seq bigint,
  ADD COLUMN hash text;

-- The base is the last entry that was removed by age.
CREATE TABLE runledger.audit_chain (
  only_row  boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  base_seq  bigint NOT NULL DEFAULT 0,
  base_hash text NOT NULL DEFAULT repeat('0', 64),
  head_seq  bigint NOT NULL DEFAULT 0,
  head_hash text NOT NULL DEFAULT repeat('0', 64)
);
