-- oldest-code: 4
-- The fence of several writers. Code that does not know it would append past it.

ALTER TABLE APPEND_LOCK ADD COLUMN IF NOT EXISTS TOKEN NUMBER(38,0);
ALTER TABLE APPEND_LOCK ADD COLUMN IF NOT EXISTS HOLDER STRING;
UPDATE APPEND_LOCK SET TOKEN = COALESCE(TOKEN, 0);
COMMENT ON TABLE APPEND_LOCK IS 'One row. Every writer of the log updates it first. TOKEN: the highest lock that wrote; 0 if writers use none';
