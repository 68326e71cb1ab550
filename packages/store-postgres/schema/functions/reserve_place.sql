CREATE OR REPLACE FUNCTION runledger.reserve_place(tenant text, project text, plan text, key text)
 RETURNS text
 LANGUAGE sql
RETURN runledger.reserve_places(ARRAY[tenant], ARRAY[project], ARRAY[plan], ARRAY[key])
