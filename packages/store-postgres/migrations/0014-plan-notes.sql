-- oldest-code: 1
-- Notes beside the content of a plan: schemas for forms, and the text of a workflow that was published as text.
ALTER TABLE runledger.plans ADD notes jsonb;
CREATE INDEX plans_with_source ON runledger.plans (plan_id, plan_version) WHERE notes ? 'source';

-- The last heartbeat of each worker. NULL if its code is older than this column.
ALTER TABLE runledger.workers ADD seen_at timestamptz(3);
