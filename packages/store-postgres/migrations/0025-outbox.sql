-- oldest-code: 11
-- Subscriptions to events, and how far each run was delivered to each of them. Appends do not touch these tables.
CREATE SEQUENCE runledger.subscription_numbers;

CREATE TABLE runledger.subscriptions (
  tenant_id         text COLLATE "C" NOT NULL,
  subscription_id   text COLLATE "C" NOT NULL,
  definition        jsonb NOT NULL,
  -- Identifies the deliveries. A rewind draws a new one.
  number            bigint NOT NULL DEFAULT nextval('runledger.subscription_numbers') UNIQUE,
  version           integer NOT NULL DEFAULT 1,
  starts_at         timestamptz(3),
  created_at        timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  paused_at         timestamptz(3),
  failures          integer NOT NULL DEFAULT 0,
  retry_at          timestamptz(3),
  last_error        text,
  last_error_at     timestamptz(3),
  last_delivered_at timestamptz(3),
  -- The last listed run, NULL if all runs that existed before are listed.
  filled_to         text COLLATE "C" DEFAULT '',
  PRIMARY KEY (tenant_id, subscription_id)
);

CREATE TABLE runledger.deliveries (
  number        bigint NOT NULL,
  run_id        text COLLATE "C" NOT NULL,
  delivered_seq bigint NOT NULL DEFAULT 0,
  head_seq      bigint NOT NULL,
  is_excluded   boolean NOT NULL DEFAULT false,
  due_at        timestamptz(3) NOT NULL,
  pending_since timestamptz(3) NOT NULL,
  token         text COLLATE "C",
  attempts      integer NOT NULL DEFAULT 0,
  failed_at     timestamptz(3),
  error         text,
  dead_at       timestamptz(3),
  PRIMARY KEY (number, run_id)
) WITH (fillfactor = 70);

CREATE INDEX deliveries_due ON runledger.deliveries (number, due_at)
  WHERE delivered_seq < head_seq AND NOT is_excluded AND dead_at IS NULL;
CREATE INDEX deliveries_dead ON runledger.deliveries (number, run_id) WHERE dead_at IS NOT NULL;
