/** The partitions of a workflow: a grid of states, and backfills of what is missing or failed. */
import type { PartitionList, RunPlan } from "@runledger/client";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams, useSearch } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import { client } from "../../api/client.js";
import { queryErrorOf } from "../../api/query-error.js";
import { buttonClass } from "../../ui/button.js";
import { counted } from "../../ui/format.js";
import { Icon } from "../../ui/icon.js";
import { Empty, Failure, Loading, StaleNotice } from "../../ui/states.js";
import { useTitle } from "../../ui/title.js";
import { LOOKS, states, type Partition } from "./looks.js";
import { PartitionActions } from "./partition-actions.js";
import { PartitionGrid } from "./partition-grid.js";
import { RangeForm } from "./range-form.js";
import { selected, type Selection } from "./selection.js";

const PATH = "/workflows/$workflowId/partitions";

export function PartitionsPage(): ReactNode {
  const { workflowId } = useParams({ from: PATH });
  const search = useSearch({ from: PATH });
  useTitle(`Partitions of ${workflowId}`);
  const workflow = useQuery({ queryKey: ["workflow", workflowId], queryFn: () => client.getWorkflow(workflowId) });
  const query = useQuery({
    queryKey: ["partitions", workflowId, search],
    queryFn: () => client.listPartitions(workflowId, { ...search }),
    refetchInterval: 5_000,
  });
  const error = queryErrorOf(query) ?? queryErrorOf(workflow);
  if (query.data === undefined || workflow.data === undefined)
    return error === null ? (
      <Loading label="Loading partitions" lines={8} />
    ) : (
      <Failure error={error} onRetry={() => void Promise.all([query.refetch(), workflow.refetch()])} />
    );
  return (
    <div className="columns">
      <StaleNotice error={error} />
      <PartitionPanel key={JSON.stringify(search)} plan={workflow.data.plan} list={query.data} />
    </div>
  );
}

function PartitionPanel({ plan, list }: { readonly plan: RunPlan; readonly list: PartitionList }) {
  const search = useSearch({ from: PATH });
  const [selection, setSelection] = useState<Selection>(null);
  const { items, first, last, by, timeZone } = list;
  const chosen = selected(items, selection);
  return (
    <section className="panel" aria-label="Partitions">
      <div className="panel-head partition-head">
        <h1>Partitions of {plan.planId}</h1>
        <span className="quiet wide-only">
          by {by}
          {timeZone !== null && ` in ${timeZone}`}
          {first !== null && `, ${first} to ${last}`}
        </span>
        <span className="grow" />
        <Link to="/workflows/$workflowId" params={{ workflowId: plan.planId }} search={{}} className={buttonClass()}>
          View workflow
        </Link>
        <PartitionActions plan={plan} chosen={chosen} />
      </div>
      <div className="row partition-legend">
        <Legend items={items} />
        <span className="grow" />
        <RangeForm search={search} shown={{ from: items[0]?.key ?? "", to: items.at(-1)?.key ?? "" }} />
      </div>
      {items.length === 0 ? (
        <NoPartitions isNone={first === null} />
      ) : (
        <PartitionGrid items={items} selection={selection} onSelect={setSelection} />
      )}
      <SelectionLine chosen={selection === null ? [] : chosen} />
    </section>
  );
}

function Legend({ items }: { readonly items: readonly Partition[] }) {
  return (
    <ul className="row partition-counts" aria-label="States">
      {states.map((state) => (
        <li key={state} className={`status tone-${LOOKS[state].tone}`} data-count={state}>
          <Icon name={LOOKS[state].icon} />
          <span>
            {LOOKS[state].word} {items.filter((item) => item.state === state).length}
          </span>
        </li>
      ))}
    </ul>
  );
}

function NoPartitions({ isNone }: { readonly isNone: boolean }) {
  return (
    <Empty title={isNone ? "No partition is complete yet" : "No partitions in this range"}>
      <p>A day or an hour is a partition once it has passed.</p>
    </Empty>
  );
}

/** Describes the selection; a single partition links to its run. */
function SelectionLine({ chosen }: { readonly chosen: readonly Partition[] }) {
  const [one] = chosen;
  if (one === undefined)
    return <p className="panel-note">Select partitions with a click, and a range with Shift and a click.</p>;
  if (chosen.length > 1)
    return (
      <p className="panel-note" role="status">
        {counted(chosen.length, "partition")} selected: {one.key} to {chosen.at(-1)!.key}
      </p>
    );
  return (
    <p className="panel-note" role="status">
      {one.key}: {LOOKS[one.state].word}{" "}
      {one.runId !== null && (
        <Link to="/runs/$runId" params={{ runId: one.runId }} search={{}} className="strong-link">
          View run
        </Link>
      )}
    </p>
  );
}
