import { DATASET_NAMESPACE, readEventData, type DatasetUse } from "@runledger/contracts";
import type { RunEvent } from "@runledger/client";
import { Link } from "@tanstack/react-router";

/** Links to the datasets that the step has read and written. */
export function StepDatasets({ events }: { readonly events: readonly RunEvent[] }) {
  const last = events.findLast(({ eventType }) => eventType === "StepCompleted");
  const { datasets } = readEventData("StepCompleted", last?.eventData);
  if (datasets === undefined) return null;
  return (
    <ul className="panel-note step-datasets" aria-label="Datasets">
      <Uses verb="Reads" uses={datasets.reads ?? []} />
      <Uses verb="Writes" uses={datasets.writes ?? []} />
    </ul>
  );
}

function Uses({ verb, uses }: { readonly verb: string; readonly uses: readonly DatasetUse[] }) {
  return uses.map(({ name, namespace = DATASET_NAMESPACE }) => (
    <li key={`${namespace} ${name}`} className="two-lines">
      <span>{verb}</span>
      <Link to="/datasets/dataset" search={{ name, namespace }}>
        {name}
      </Link>
    </li>
  ));
}
