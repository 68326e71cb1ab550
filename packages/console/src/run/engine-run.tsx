/** The run on the platform that executes it, with a link if the server knows the platform's UI. */
import { useMe } from "../api/session.js";

interface TemporalRun {
  readonly engine: "temporal";
  readonly namespace: string;
  readonly workflowId: string;
  readonly runId: string;
}

export function EngineRun({ engineRunRef }: { readonly engineRunRef: unknown }) {
  const { data: me } = useMe();
  const url = isTemporal(engineRunRef) ? temporalUrl(me?.engineUiUrl, engineRunRef) : null;
  if (url === null) return typeof engineRunRef === "string" ? engineRunRef : JSON.stringify(engineRunRef);
  return (
    <a href={url} target="_blank" rel="noreferrer">
      Open in Temporal
    </a>
  );
}

function isTemporal(ref: unknown): ref is TemporalRun {
  const { engine, namespace, workflowId, runId } = (ref ?? {}) as Record<string, unknown>;
  return engine === "temporal" && [namespace, workflowId, runId].every((part) => typeof part === "string");
}

/** Returns `null` if there is no address, or one that a browser should not open. */
function temporalUrl(base: string | undefined, { namespace, workflowId, runId }: TemporalRun): string | null {
  if (base === undefined || !/^https?:\/\//.test(base)) return null;
  const [ns, id, run] = [namespace, workflowId, runId].map(encodeURIComponent);
  return `${base.replace(/\/+$/, "")}/namespaces/${ns}/workflows/${id}/${run}/history`;
}
