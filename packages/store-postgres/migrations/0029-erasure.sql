-- oldest-code: 11
-- The payloads of an erased event are gone, and its structure is left (A6). content_hash stays the hash of the original.
-- erased_hash is the hash of the content that is left, so that a later change of it is found, too. NULL if the event was not
-- erased.
ALTER TABLE runledger.run_events ADD COLUMN erased_hash bigint;
ALTER TABLE runledger.run_events_archive ADD COLUMN erased_hash bigint;
