import { useQuery } from "@tanstack/react-query";
import { client } from "../../api/client.js";
import { queryErrorOf } from "../../api/query-error.js";
import { Button } from "../../ui/button.js";
import { exactTime } from "../../ui/format.js";
import { Icon } from "../../ui/icon.js";
import { JsonView } from "../../ui/json-view.js";
import { Failure, Loading } from "../../ui/states.js";
import type { InspectorProps } from "./inspector.js";

interface EventInspectorProps extends InspectorProps {
  readonly seq: number;
}

/** Shows one event of the log with its payload. */
export function EventInspector({ runId, seq, onChange }: EventInspectorProps) {
  const query = useQuery({
    queryKey: ["event", runId, seq],
    queryFn: async () => {
      const { items } = await client.listEvents(runId, { after: seq - 1, limit: 1 });
      return items.find(({ runSeq }) => runSeq === seq) ?? null;
    },
    staleTime: Infinity,
  });
  const event = query.data ?? undefined;
  const error = queryErrorOf(query);
  return (
    <>
      <div className="inspector-head">
        <h2 className="cut">
          {event?.eventType ?? "Event"} <span className="quiet">seq {seq}</span>
        </h2>
        <Button
          variant="plain"
          size="small"
          aria-label="Back to run"
          data-key="esc"
          onClick={() => onChange({ event: undefined, step: undefined })}
        >
          <Icon name="close" size={12} />
        </Button>
      </div>
      {error !== null && event === undefined && <Failure error={error} />}
      {query.data === null && <p className="quiet">No event has this number. Select another one.</p>}
      {error === null && query.data === undefined && <Loading label="Loading event" lines={4} />}
      {event !== undefined && (
        <div className="inspector-panel">
          <dl className="pairs">
            <dt>Emitted</dt>
            <dd title={event.emittedAt}>{exactTime(event.emittedAt)}</dd>
            {event.persistedAt !== undefined && (
              <>
                <dt>Persisted</dt>
                <dd title={event.persistedAt}>{exactTime(event.persistedAt)}</dd>
              </>
            )}
            {event.stepId !== undefined && (
              <>
                <dt>Step</dt>
                <dd>
                  <Button variant="link" onClick={() => onChange({ step: event.stepId, event: undefined })}>
                    {event.stepId}
                  </Button>
                </dd>
              </>
            )}
            <dt>Attempt</dt>
            <dd>{event.logicalAttemptId}</dd>
            <dt>Idempotency key</dt>
            <dd className="mono cut" title={event.idempotencyKey}>
              {event.idempotencyKey}
            </dd>
            <dt>Event id</dt>
            <dd className="mono cut" title={event.eventId}>
              {event.eventId}
            </dd>
          </dl>
          <div className="row">
            <Button size="small" onClick={() => onChange({ seq })}>
              View run at this event
            </Button>
          </div>
          <h3>Data</h3>
          <JsonView value={event.eventData} whenAbsent="This event has no data." />
        </div>
      )}
    </>
  );
}
