import { artifactIdOf } from "@runledger/contracts";
import { useQuery } from "@tanstack/react-query";
import { client } from "../api/client.js";
import { queryErrorOf } from "../api/query-error.js";
import { CopyButton } from "../ui/copy-button.js";
import { Failure, Loading } from "../ui/states.js";
import { textOf } from "./content.js";
import { type PreviewProps } from "./source.js";

const MAX_BYTES = 64 * 1024;

/** The start of a node's compiled SQL. */
export function CompiledSql({ runId, artifact }: PreviewProps) {
  const query = useQuery({
    queryKey: ["compiled-sql", runId, artifact.uri],
    queryFn: () => load({ runId, artifact }),
    staleTime: Infinity,
  });
  const { data, refetch } = query;
  const error = queryErrorOf(query);
  if (data === undefined && error !== null) return <Failure error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading label="Loading SQL" lines={4} />;
  return (
    <>
      <div className="row">
        <h3 className="grow">Compiled SQL</h3>
        <CopyButton label="Copy SQL" text={() => data} />
      </div>
      {(artifact.sizeBytes ?? 0) > MAX_BYTES && <p className="quiet">The first 64 KB are shown.</p>}
      <pre className="sql" role="region" aria-label="Compiled SQL" tabIndex={0}>
        {data}
      </pre>
    </>
  );
}

async function load({ runId, artifact: { uri, sizeBytes = 0 } }: PreviewProps): Promise<string> {
  const response = await client.previewArtifact(runId, artifactIdOf(uri)!, { bytes: MAX_BYTES });
  const bytes = new Uint8Array(await response.arrayBuffer());
  return (textOf(bytes, sizeBytes > MAX_BYTES) ?? "").trim();
}
