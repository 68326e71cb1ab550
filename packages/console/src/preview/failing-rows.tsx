/** The rows that a dbt test found, if the step keeps them (option `failingRows`). */
import { artifactIdOf } from "@runledger/contracts";
import { useQuery } from "@tanstack/react-query";
import { client } from "../api/client.js";
import { queryErrorOf } from "../api/query-error.js";
import { Failure, Loading } from "../ui/states.js";
import { rowsOfTest } from "./rows-of-test.js";
import { TableView } from "./table-view.js";
import type { Table } from "./table.js";

interface FailingRowsProps {
  readonly runId: string;
  /** Id of the test: the id of its step, a slash and its name. */
  readonly stepId: string;
}

const KIND = "dbt-failing-rows";
/** dbt steps write less. */
const MAX_BYTES = 512 * 1024;
/** Attempts whose rows are searched, newest first. A later attempt does not run all tests again. */
const MAX_ARTIFACTS = 5;

export function FailingRows({ runId, stepId }: FailingRowsProps) {
  const query = useQuery({
    queryKey: ["failing-rows", runId, stepId],
    queryFn: () => load({ runId, stepId }),
    staleTime: 10_000,
  });
  const { data, refetch } = query;
  const error = queryErrorOf(query);
  if (data === undefined && error !== null) return <Failure error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading label="Loading rows" lines={3} />;
  return (
    <>
      <h3>Failing rows</h3>
      {data === null ? (
        <p className="quiet">
          No rows were kept. To keep the first ones, set <code>failingRows</code> in the dbt step.
        </p>
      ) : (
        <TableView table={data} label="Failing rows" />
      )}
    </>
  );
}

/** Returns `null` if no attempt kept rows of this test. */
async function load({ runId, stepId }: FailingRowsProps): Promise<Table | null> {
  const slash = stepId.lastIndexOf("/");
  const { items } = await client.listArtifacts(runId, { stepId: stepId.slice(0, slash), limit: 200 });
  const kept = items.filter(({ kind }) => kind === KIND).toReversed();
  for (const { uri } of kept.slice(0, MAX_ARTIFACTS)) {
    const response = await client.previewArtifact(runId, artifactIdOf(uri)!, { bytes: MAX_BYTES });
    const table = rowsOfTest(await response.text(), stepId.slice(slash + 1));
    if (table !== null) return table;
  }
  return null;
}
