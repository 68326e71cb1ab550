/** The versions of a workflow, and the changes between two of them. */
import type { WorkflowVersion } from "@runledger/client";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { client } from "../../api/client.js";
import { queryErrorOf } from "../../api/query-error.js";
import { Button } from "../../ui/button.js";
import { moment } from "../../ui/format.js";
import { useNow } from "../../ui/now.js";
import { Failure, Loading } from "../../ui/states.js";
import { VersionDiff } from "./version-diff.js";

export function VersionPanel({ workflowId }: { readonly workflowId: string }) {
  const query = useInfiniteQuery({
    queryKey: ["versions", workflowId],
    queryFn: ({ pageParam }) => client.listVersions(workflowId, pageParam === null ? {} : { after: pageParam }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  });
  const { data, refetch, hasNextPage, fetchNextPage } = query;
  const error = queryErrorOf(query);
  const search = useSearch({ from: "/workflows/$workflowId" });
  const navigate = useNavigate({ from: "/workflows/$workflowId" });
  if (data === undefined)
    return error === null ? (
      <Loading label="Loading versions" />
    ) : (
      <Failure error={error} onRetry={() => void refetch()} />
    );
  const versions = data.pages.flatMap(({ items }) => items);
  const to = versions.find(({ version }) => version === search.to) ?? versions[0]!;
  const from = versions.find(({ version }) => version === search.from) ?? versions[versions.indexOf(to) + 1] ?? null;
  const choose = (part: { readonly from?: string; readonly to?: string }): void =>
    void navigate({ search: (known) => ({ ...known, ...part }), replace: true });
  return (
    <div className="versions">
      <table className="table">
        <thead>
          <tr>
            <th>From</th>
            <th>To</th>
            <th>Version</th>
            <th>Published</th>
            <th />
          </tr>
        </thead>
        <tbody>
          {versions.map((one) => (
            <VersionRow
              key={one.version}
              workflowId={workflowId}
              version={one}
              isFrom={one === from}
              isTo={one === to}
              onChoose={choose}
            />
          ))}
        </tbody>
      </table>
      {hasNextPage && (
        <Button variant="plain" onClick={() => void fetchNextPage()}>
          Load older versions
        </Button>
      )}
      {from === null ? (
        <p className="panel-note">This is the only version. Changes appear here when there is another one.</p>
      ) : (
        <VersionDiff before={from} after={to} />
      )}
    </div>
  );
}

interface VersionRowProps {
  readonly workflowId: string;
  readonly version: WorkflowVersion;
  readonly isFrom: boolean;
  readonly isTo: boolean;
  readonly onChoose: (part: { readonly from?: string; readonly to?: string }) => void;
}

function VersionRow({ workflowId, version: { version, hash, publishedAt }, isFrom, isTo, onChoose }: VersionRowProps) {
  const now = useNow();
  return (
    <tr>
      <td>
        <input
          type="radio"
          name="from"
          aria-label={`Compare from ${version}`}
          checked={isFrom}
          onChange={() => onChoose({ from: version })}
        />
      </td>
      <td>
        <input
          type="radio"
          name="to"
          aria-label={`Compare to ${version}`}
          checked={isTo}
          onChange={() => onChoose({ to: version })}
        />
      </td>
      <td title={`Content hash ${hash}`}>{version}</td>
      <td className="quiet">{moment(publishedAt, now)}</td>
      <td className="end">
        <Link to="/runs" search={{ workflow: workflowId, version }}>
          Runs
        </Link>
      </td>
    </tr>
  );
}
