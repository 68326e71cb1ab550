import { DATASET_NAMESPACE, readEventData, type DatasetUse } from "@runledger/contracts";
import type { RunEvent } from "@runledger/client";
import { Link } from "@tanstack/react-router";

/** Links to the datasets that the step has read and written. */
export function StepDatasets({ events }: { readonly events: readonly RunEvent[] }) {
  const last = events.findLast(({ eventType }) => eventType === "StepCompleted");
  const { datasets } = readEventData("StepCompleted", last?.eventData);
  if (datasets === undefined) return null;
  return (
    <p className="step-datasets">
      <Uses verb="Read" uses={datasets.reads ?? []} /> <Uses verb="Wrote" uses={datasets.writes ?? []} />
    </p>
  );
}

function Uses({ verb, uses }: { readonly verb: string; readonly uses: readonly DatasetUse[] }) {
  if (uses.length === 0) return null;
  return (
    <>
      <span className="quiet">{verb}</span>
      {uses.map(({ name, namespace = DATASET_NAMESPACE }) => (
        <span key={`${namespace} ${name}`}>
          {" "}
          <Link to="/dataset" search={{ name, namespace }}>
            {name}
          </Link>
        </span>
      ))}
    </>
  );
}
