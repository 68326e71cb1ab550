import type { DeadLetter } from "@runledger/client";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { queryErrorOf } from "../api/query-error.js";
import { Button } from "../ui/button.js";
import { ago, counted, moment, shortId } from "../ui/format.js";
import { useNow } from "../ui/now.js";
import { Failure, Loading } from "../ui/states.js";
import { DeadLetterDialog } from "./dead-letter-dialog.js";
import { useDeadLetters } from "./use-subscriptions.js";

/** Events that a receiver refused too often. */
export function DeadLetterPanel() {
  const query = useDeadLetters();
  const { data, refetch, hasNextPage, fetchNextPage } = query;
  const error = queryErrorOf(query);
  const letters = data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <section className="panel" aria-label="Dead letters">
      <div className="panel-head">
        <h2>Dead letters</h2>
        <span className="quiet">
          {letters.length === 0 ? "events that were refused too often" : `${counted(letters.length, "run")} waiting`}
        </span>
      </div>
      {data === undefined && error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Loading label="Loading dead letters" lines={2} />}
      {data !== undefined && letters.length === 0 && (
        <p className="panel-note">No dead letters. Every event was accepted or is being retried.</p>
      )}
      {letters.length > 0 && <DeadLetterTable letters={letters} />}
      {hasNextPage && (
        <Button variant="plain" onClick={() => void fetchNextPage()}>
          Load more
        </Button>
      )}
    </section>
  );
}

function DeadLetterTable({ letters }: { readonly letters: readonly DeadLetter[] }) {
  const now = useNow();
  const [shown, setShown] = useState<DeadLetter | null>(null);
  return (
    <>
      <table className="table stacked dead-letters">
        <thead>
          <tr>
            <th>Subscription</th>
            <th>Run</th>
            <th>Event</th>
            <th>Error</th>
            <th>Since</th>
            <th>
              <span className="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {letters.map((letter) => (
            <tr key={`${letter.subscriptionId}|${letter.runId}`} data-dead-letter={letter.runId}>
              <td data-label="Name">{letter.subscriptionId}</td>
              <td data-label="Run">
                <Link to="/runs/$runId" params={{ runId: letter.runId }} search={{}} className="mono">
                  {shortId(letter.runId)}
                </Link>
              </td>
              <td data-label="Event">
                {letter.runSeq} <span className="quiet">after {counted(letter.attempts, "attempt")}</span>
              </td>
              <td data-label="Error" className="cut" title={letter.error}>
                <span>{letter.error}</span>
              </td>
              <td data-label="Since" title={moment(letter.deadAt, now)}>
                {ago(letter.deadAt, now)}
              </td>
              <td className="end">
                <Button
                  size="small"
                  aria-label={`Inspect event ${letter.runSeq} of ${letter.runId}`}
                  onClick={() => setShown(letter)}
                >
                  Inspect
                </Button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {shown !== null && <DeadLetterDialog letter={shown} onClose={() => setShown(null)} />}
    </>
  );
}
