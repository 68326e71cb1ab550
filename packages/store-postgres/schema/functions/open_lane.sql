CREATE OR REPLACE FUNCTION runledger.open_lane(tenant text, project text, plan text, version text, format integer, at timestamp with time zone)
 RETURNS bigint
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
DECLARE
  lane runledger.queue_lanes;
BEGIN
  LOOP
    SELECT * INTO lane FROM runledger.queue_lanes l
    WHERE l.tenant_id = tenant AND l.project_id = project AND l.plan_id = plan AND l.plan_version = version
      AND l.log_format = format
    FOR KEY SHARE;
    EXIT WHEN FOUND;
    LOCK TABLE runledger.limits IN ROW SHARE MODE; -- a change of priority updates all lanes
    INSERT INTO runledger.queue_lanes (tenant_id, project_id, plan_id, plan_version, log_format, tenant_priority,
      priority, turn, turn_since, due_at, has_delayed)
    VALUES (tenant, project, plan, version, format, runledger.limit_priority('tenant', tenant),
      runledger.limit_priority('project', tenant || '|' || project) + runledger.limit_priority('workflow', plan),
      coalesce(
        (SELECT l.turn FROM runledger.queue_lanes l WHERE l.tenant_id = tenant LIMIT 1),
        (SELECT t.turn FROM runledger.queue_turn t) + 1,
        1),
      clock_timestamp(), at, at > clock_timestamp())
    ON CONFLICT DO NOTHING;
  END LOOP;
  IF lane.due_at > at OR (at > clock_timestamp() AND NOT lane.has_delayed) THEN
    UPDATE runledger.queue_lanes l
    SET due_at = least(l.due_at, at), has_delayed = l.has_delayed OR at > clock_timestamp()
    WHERE l.lane_id = lane.lane_id;
  END IF;
  RETURN lane.lane_id;
END
$function$
