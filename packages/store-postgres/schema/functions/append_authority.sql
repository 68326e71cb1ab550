CREATE OR REPLACE FUNCTION runledger.append_authority()
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
RETURN 'head'::text
