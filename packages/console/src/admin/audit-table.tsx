import { useInfiniteQuery } from "@tanstack/react-query";
import { client } from "../api/client.js";
import { moment } from "../ui/format.js";
import { useNow } from "../ui/now.js";
import { Failure, Loading } from "../ui/states.js";

export function AuditTable() {
  const { data, error, refetch, hasNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: ["audit"],
    queryFn: ({ pageParam }) => client.listAudit(pageParam === null ? {} : { after: Number(pageParam) }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  });
  const now = useNow();
  const entries = data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <section className="panel">
      <div className="panel-head">
        <h2>Audit</h2>
        <span className="quiet">what was denied, and what was administered</span>
      </div>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {error === null && data === undefined && <Loading label="Loading the audit" />}
      {data !== undefined && entries.length === 0 && <p className="panel-note">Nothing is on record.</p>}
      {entries.length > 0 && (
        <table className="table">
          <thead>
            <tr>
              <th>When</th>
              <th>Who</th>
              <th>What</th>
              <th>Outcome</th>
              <th>From</th>
            </tr>
          </thead>
          <tbody>
            {entries.map(({ auditId, at, actor, action, target, outcome, code, address }) => (
              <tr key={auditId}>
                <td>{moment(at, now)}</td>
                <td>{actor}</td>
                <td className="cut" title={target}>
                  {action} <span className="quiet">{target}</span>
                </td>
                <td className={outcome === "denied" ? "tone-bad" : ""}>
                  {outcome}
                  {code === null ? "" : ` ${code}`}
                </td>
                <td className="quiet">{address}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {hasNextPage && (
        <button type="button" className="button plain" onClick={() => void fetchNextPage()}>
          Older entries
        </button>
      )}
    </section>
  );
}
