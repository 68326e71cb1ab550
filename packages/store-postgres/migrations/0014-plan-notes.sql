-- oldest-code: 1
-- What is known of a plan beside its content: schemas for forms, and the text of a workflow that was published as one.
ALTER TABLE runledger.plans ADD notes jsonb;
CREATE INDEX plans_with_source ON runledger.plans (plan_id, plan_version) WHERE notes ? 'source';

-- When each worker last said that it lives; unknown of one that runs code from before.
ALTER TABLE runledger.workers ADD seen_at timestamptz(3);
