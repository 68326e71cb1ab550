/** The datasets that steps have read and written. */
import type { Dataset } from "@runledger/client";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { client } from "../api/client.js";
import { queryErrorOf } from "../api/query-error.js";
import { Button } from "../ui/button.js";
import { ago, counted } from "../ui/format.js";
import { useNow } from "../ui/now.js";
import { Empty, Failure, Loading, StaleNotice } from "../ui/states.js";
import { useTitle } from "../ui/title.js";
import { DatasetLink } from "./dataset-link.js";
import { Freshness } from "./freshness.js";

const POLL_MS = 5_000;

export function DatasetsPage() {
  useTitle("Datasets");
  const { text } = useSearch({ from: "/datasets" });
  const query = useDatasets(text);
  const { data, refetch, hasNextPage, fetchNextPage } = query;
  const error = queryErrorOf(query);
  const datasets = data?.pages.flatMap(({ items }) => items);
  return (
    <div className="columns">
      <StaleNotice error={data === undefined ? null : error} />
      <section className="panel" aria-label="Datasets">
        <div className="panel-head">
          <h1>Datasets</h1>
          <span className="quiet wide-only">
            {datasets && datasets.length > 0 && counted(datasets.length, "dataset")}
          </span>
          <Find text={text} />
        </div>
        {datasets !== undefined ? (
          <Found datasets={datasets} isFiltered={text !== undefined} />
        ) : error === null ? (
          <Loading label="Loading datasets" lines={6} />
        ) : (
          <Failure error={error} onRetry={() => void refetch()} />
        )}
        {hasNextPage && (
          <Button variant="plain" onClick={() => void fetchNextPage()}>
            Load more
          </Button>
        )}
      </section>
    </div>
  );
}

function useDatasets(text: string | undefined) {
  return useInfiniteQuery({
    queryKey: ["datasets", text],
    queryFn: ({ pageParam }) =>
      client.listDatasets({ ...(text !== undefined && { text }), ...(pageParam !== null && { after: pageParam }) }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    refetchInterval: POLL_MS,
  });
}

function Find({ text = "" }: { readonly text: string | undefined }) {
  const navigate = useNavigate({ from: "/datasets" });
  const find = (value: string): void => void navigate({ search: value === "" ? {} : { text: value }, replace: true });
  return (
    <input
      type="search"
      className="field"
      aria-label="Find datasets"
      placeholder="Find by name"
      defaultValue={text}
      onChange={({ target }) => find(target.value.trim())}
    />
  );
}

function Found({ datasets, isFiltered }: { readonly datasets: readonly Dataset[]; readonly isFiltered: boolean }) {
  if (datasets.length > 0) return <DatasetTable datasets={datasets} />;
  return (
    <Empty title={isFiltered ? "No dataset has this name" : "No datasets yet"}>
      <p>
        A dataset appears after a step that reads or writes it has completed. A step declares them with the option{" "}
        <code>datasets</code>.
      </p>
    </Empty>
  );
}

function DatasetTable({ datasets }: { readonly datasets: readonly Dataset[] }) {
  const now = useNow();
  return (
    <table className="table stacked">
      <thead>
        <tr>
          <th>Dataset</th>
          <th>Namespace</th>
          <th>Freshness</th>
          <th>Last write</th>
          <th>Written by</th>
        </tr>
      </thead>
      <tbody>
        {datasets.map((dataset) => (
          <tr key={`${dataset.namespace} ${dataset.name}`} data-dataset={dataset.name}>
            <td data-label="Dataset">
              <DatasetLink {...dataset} />
            </td>
            <td data-label="Namespace">{dataset.namespace}</td>
            <td data-label="Freshness">
              <Freshness dataset={dataset} />
            </td>
            <td data-label="Last write">{dataset.lastWrite === null ? "–" : ago(dataset.lastWrite.at, now)}</td>
            <td data-label="Written by">
              {dataset.lastWrite === null ? "–" : `${dataset.lastWrite.planId} ${dataset.lastWrite.stepId}`}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
