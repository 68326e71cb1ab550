import { useInfiniteQuery } from "@tanstack/react-query";
import { client } from "../api/client.js";
import { queryErrorOf } from "../api/query-error.js";
import { Button } from "../ui/button.js";
import { moment } from "../ui/format.js";
import { useNow } from "../ui/now.js";
import { Failure, Loading } from "../ui/states.js";

export function AuditTable() {
  const query = useInfiniteQuery({
    queryKey: ["audit"],
    queryFn: ({ pageParam }) => client.listAudit(pageParam === null ? {} : { after: Number(pageParam) }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  });
  const { data, refetch, hasNextPage, fetchNextPage } = query;
  const error = queryErrorOf(query);
  const now = useNow();
  const entries = data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <section className="panel">
      <div className="panel-head">
        <h2>Audit log</h2>
        <span className="quiet">denied requests, administrative actions, logins and logouts</span>
      </div>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {error === null && data === undefined && <Loading label="Loading audit log" />}
      {data !== undefined && entries.length === 0 && <p className="panel-note">No entries yet.</p>}
      {entries.length > 0 && (
        <table className="table">
          <thead>
            <tr>
              <th>Time</th>
              <th>Actor</th>
              <th>Action</th>
              <th>Outcome</th>
              <th>Address</th>
            </tr>
          </thead>
          <tbody>
            {entries.map(({ auditId, at, actor, action, target, outcome, code, address, count }) => (
              <tr key={auditId}>
                <td>{moment(at, now)}</td>
                <td>{actor}</td>
                <td className="cut" title={target}>
                  {action} <span className="quiet">{target}</span>
                </td>
                <td className={outcome === "allowed" ? "" : "tone-bad"}>
                  {outcome}
                  {code === null ? "" : ` ${code}`}
                  {count === 1 ? "" : ` × ${count}`}
                </td>
                <td className="quiet">{address}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {hasNextPage && (
        <Button variant="plain" onClick={() => void fetchNextPage()}>
          Load older entries
        </Button>
      )}
    </section>
  );
}
