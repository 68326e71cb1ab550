import { useQuery } from "@tanstack/react-query";
import { client } from "../../api/client.js";
import { exactTime } from "../../ui/format.js";
import { Glyph } from "../../ui/glyph.js";
import { JsonView } from "../../ui/json-view.js";
import { Failure, Loading } from "../../ui/states.js";
import type { InspectorProps } from "./inspector.js";

interface EventInspectorProps extends InspectorProps {
  readonly seq: number;
}

/** An event as it stands in the log, with its payload. */
export function EventInspector({ runId, seq, onChange }: EventInspectorProps) {
  const { data, error } = useQuery({
    queryKey: ["event", runId, seq],
    queryFn: () => client.listEvents(runId, { after: seq - 1, limit: 1 }),
    staleTime: Infinity,
  });
  const event = data?.items[0];
  return (
    <>
      <div className="inspector-head">
        <h2 className="cut">
          {event?.eventType ?? "Event"} <span className="quiet">seq {seq}</span>
        </h2>
        <button
          type="button"
          className="button plain small"
          aria-label="Show the run"
          data-key="esc"
          onClick={() => onChange({ event: undefined, step: undefined })}
        >
          <Glyph name="close" size={12} />
        </button>
      </div>
      {error !== null && <Failure error={error} />}
      {error === null && event === undefined && <Loading label="Loading the event" lines={4} />}
      {event !== undefined && (
        <div className="inspector-panel">
          <dl className="pairs">
            <dt>emitted</dt>
            <dd title={event.emittedAt}>{exactTime(event.emittedAt)}</dd>
            {event.persistedAt !== undefined && (
              <>
                <dt>persisted</dt>
                <dd title={event.persistedAt}>{exactTime(event.persistedAt)}</dd>
              </>
            )}
            {event.stepId !== undefined && (
              <>
                <dt>step</dt>
                <dd>
                  <button
                    type="button"
                    className="link"
                    onClick={() => onChange({ step: event.stepId, event: undefined })}
                  >
                    {event.stepId}
                  </button>
                </dd>
              </>
            )}
            <dt>attempt</dt>
            <dd>{event.logicalAttemptId}</dd>
            <dt>key</dt>
            <dd className="mono cut" title={event.idempotencyKey}>
              {event.idempotencyKey}
            </dd>
            <dt>event id</dt>
            <dd className="mono cut" title={event.eventId}>
              {event.eventId}
            </dd>
          </dl>
          <div className="row">
            <button type="button" className="button small" onClick={() => onChange({ seq })}>
              See the run at this moment
            </button>
          </div>
          <h3>Data</h3>
          <JsonView value={event.eventData} whenAbsent="It carries no data." />
        </div>
      )}
    </>
  );
}
