-- oldest-code: 1
-- Keys and sessions of API callers, and the audit log of their calls. Secrets are stored as hashes only.
CREATE TABLE runledger.access_keys (
  key_id       text COLLATE "C" PRIMARY KEY,
  tenant_id    text COLLATE "C" NOT NULL,
  role         text NOT NULL,
  name         text NOT NULL,
  secret_hash  text NOT NULL,
  created_at   timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  created_by   text NOT NULL,
  expires_at   timestamptz(3),
  revoked_at   timestamptz(3),
  last_used_at timestamptz(3)
);

CREATE INDEX access_keys_of_tenant ON runledger.access_keys (tenant_id, key_id);

CREATE TABLE runledger.access_sessions (
  session_hash text COLLATE "C" PRIMARY KEY,
  tenant_id    text COLLATE "C" NOT NULL,
  role         text NOT NULL,
  name         text NOT NULL,
  credential   text NOT NULL,
  expires_at   timestamptz(3) NOT NULL
);

CREATE INDEX access_sessions_expiry ON runledger.access_sessions (expires_at);

CREATE TABLE runledger.audit_log (
  audit_id   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at         timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  -- NULL if the caller was not authenticated.
  tenant_id  text COLLATE "C",
  actor      text NOT NULL,
  action     text NOT NULL,
  target     text NOT NULL,
  outcome    text NOT NULL,
  code       text,
  request_id text NOT NULL,
  address    text NOT NULL
);

CREATE INDEX audit_log_of_tenant ON runledger.audit_log (tenant_id, audit_id);
