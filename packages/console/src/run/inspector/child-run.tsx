/** Links from a step to the run that it started. */
import type { RunEvent } from "@runledger/client";
import type { StepStartedData } from "@runledger/contracts";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { client } from "../../api/client.js";
import { shortId } from "../../ui/format.js";
import { Status } from "../../ui/status.js";

/** How often the status of an open child run is loaded. */
const POLL_MS = 3000;

/** Returns the child run that an event started, or `null`. */
export function childRunOf({ eventData }: RunEvent): string | null {
  return ((eventData ?? {}) as StepStartedData).opened?.childRunId ?? null;
}

export function ChildLink({ runId }: { readonly runId: string }) {
  return (
    <Link to="/runs/$runId" params={{ runId }} search={{}} title={runId}>
      child run <span className="mono">{shortId(runId)}</span>
    </Link>
  );
}

export function ChildRun({ runId }: { readonly runId: string }) {
  const { data } = useQuery({
    queryKey: ["child-run", runId],
    queryFn: () => client.getRun(runId),
    refetchInterval: ({ state }) => (state.data?.completedAt === undefined ? POLL_MS : false),
  });
  return (
    <p className="row child-run">
      <ChildLink runId={runId} />
      {data !== undefined && (
        <>
          <span className="cut">{data.planId}</span>
          <Status of="run" status={data.status} />
        </>
      )}
    </p>
  );
}
