/** Everything about what is selected: a step, an event, or the run itself. */
import type { RunView } from "../model/view.js";
import type { RunSearch, RunSearchChange } from "../search.js";
import { EventInspector } from "./event-inspector.js";
import { RunInspector } from "./run-inspector.js";
import { StepInspector } from "./step-inspector.js";

export interface InspectorProps {
  readonly runId: string;
  readonly view: RunView;
  readonly search: RunSearch;
  readonly onChange: (part: RunSearchChange) => void;
}

export function Inspector(props: InspectorProps) {
  const { step, event } = props.search;
  return (
    <aside className="inspector" aria-label="Inspector">
      {event !== undefined ? (
        <EventInspector {...props} seq={event} />
      ) : step !== undefined ? (
        <StepInspector key={step} {...props} stepId={step} />
      ) : (
        <RunInspector {...props} />
      )}
    </aside>
  );
}
