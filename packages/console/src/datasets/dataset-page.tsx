/** One dataset: its last write, freshness, fields, writers and readers, and the datasets before and after it. */
import type { DatasetDetail, DatasetNeighbor } from "@runledger/client";
import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { client } from "../api/client.js";
import { queryErrorOf } from "../api/query-error.js";
import { Failure, Loading, StaleNotice } from "../ui/states.js";
import { useTitle } from "../ui/title.js";
import { DatasetLink } from "./dataset-link.js";
import { Freshness } from "./freshness.js";
import { UseTable } from "./use-table.js";

const POLL_MS = 5_000;

export function DatasetPage() {
  const { name = "", namespace } = useSearch({ from: "/datasets/dataset" });
  useTitle(name);
  const query = useQuery({
    queryKey: ["dataset", namespace, name],
    queryFn: () => client.getDataset({ name, ...(namespace !== undefined && { namespace }) }),
    refetchInterval: POLL_MS,
  });
  const { data, refetch } = query;
  const error = queryErrorOf(query);
  if (data === undefined)
    return error === null ? (
      <Loading label="Loading dataset" lines={8} />
    ) : (
      <Failure error={error} onRetry={() => void refetch()} />
    );
  return (
    <div className="columns">
      <StaleNotice error={error} />
      <section className="panel" aria-label="Dataset">
        <div className="panel-head">
          <h1>{data.name}</h1>
          <span className="quiet">{data.namespace}</span>
          <Freshness dataset={data} />
        </div>
        <Fields dataset={data} />
      </section>
      <Neighbors title="Upstream" datasets={data.upstream} />
      <Neighbors title="Downstream" datasets={data.downstream} />
      <Uses title="Written by" uses={data.writers} />
      <Uses title="Read by" uses={data.readers} />
      <Uses title="Last writes" uses={data.writes} />
    </div>
  );
}

function Neighbors({ title, datasets }: { readonly title: string; readonly datasets: readonly DatasetNeighbor[] }) {
  return (
    <section className="panel" aria-label={title}>
      <div className="panel-head">
        <h2>{title}</h2>
      </div>
      {datasets.length === 0 && <p className="panel-note">No datasets</p>}
      <ul className={datasets.length === 0 ? undefined : "panel-note"}>
        {datasets.map(({ namespace, name, steps }) => (
          <li key={`${namespace} ${name}`} className="two-lines">
            <DatasetLink namespace={namespace} name={name} />
            <span className="quiet">
              {namespace}, through {steps.map(({ planId, stepId }) => `${planId} ${stepId}`).join(", ")}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Fields({ dataset: { fields } }: { readonly dataset: DatasetDetail }) {
  if (fields.length === 0) return null;
  return (
    <table className="table stacked" aria-label="Fields">
      <thead>
        <tr>
          <th>Field</th>
          <th>Type</th>
          <th>Description</th>
        </tr>
      </thead>
      <tbody>
        {fields.map(({ name, type, description }) => (
          <tr key={name}>
            <td data-label="Field">{name}</td>
            <td data-label="Type">{type ?? "–"}</td>
            <td data-label="Description">{description ?? "–"}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Uses({ title, uses }: { readonly title: string; readonly uses: DatasetDetail["writers"] }) {
  if (uses.length === 0) return null;
  return (
    <section className="panel" aria-label={title}>
      <div className="panel-head">
        <h2>{title}</h2>
      </div>
      <UseTable uses={uses} label={title} />
    </section>
  );
}
