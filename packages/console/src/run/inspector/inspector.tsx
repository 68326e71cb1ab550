/** Details of the selected step or event, or of the run itself. */
import { useEffect, useRef } from "react";
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
  const self = useRef<HTMLElement>(null);
  const first = useRef(`${step} ${event}`);
  useEffect(() => {
    // on a low screen the inspector is below the fold, and the user would not see the result of a selection
    if (`${step} ${event}` !== first.current) self.current?.scrollIntoView({ block: "nearest" });
    first.current = "";
  }, [step, event]);
  return (
    <aside ref={self} className="inspector" aria-label="Inspector">
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
