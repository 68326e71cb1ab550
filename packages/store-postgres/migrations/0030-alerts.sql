-- oldest-code: 11
-- The recent alerts of all processes, for servers that show them. Processes record them beside their own log lines and
-- metrics. Each tenant has a bounded number.
CREATE TABLE runledger.alerts (
  alert_id    text COLLATE "C" PRIMARY KEY,
  -- By the clock of the process.
  at          timestamptz(3) NOT NULL,
  recorded_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  code        text NOT NULL,
  severity    text NOT NULL,
  message     text NOT NULL,
  process     text NOT NULL,
  run_id      text COLLATE "C",
  -- The tenant of the run. Empty if the alert concerns all tenants.
  tenant_id   text COLLATE "C" NOT NULL
);

CREATE INDEX alerts_by_tenant ON runledger.alerts (tenant_id, at DESC, alert_id DESC);
CREATE INDEX alerts_by_age ON runledger.alerts (recorded_at);
