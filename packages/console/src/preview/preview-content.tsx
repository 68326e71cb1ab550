/** The preview of an artifact: a table, an image or Markdown. */
import type { ArtifactRef } from "@runledger/contracts";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { queryErrorOf } from "../api/query-error.js";
import { bytes } from "../ui/format.js";
import { Empty, Failure, Loading } from "../ui/states.js";
import { loadPreview, type Preview } from "./load-preview.js";
import { MarkdownView } from "./markdown-view.js";
import type { PreviewProps } from "./source.js";
import { TableView } from "./table-view.js";

export function PreviewContent({ runId, artifact }: PreviewProps) {
  const query = useQuery({
    queryKey: ["preview", runId, artifact.uri, artifact.sizeBytes],
    queryFn: () => loadPreview({ runId, artifact }),
    staleTime: Infinity,
  });
  const { data, refetch } = query;
  const error = queryErrorOf(query);
  if (data !== undefined) return <Shown preview={data} artifact={artifact} />;
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />;
  return <Loading label="Loading preview" lines={6} />;
}

function Shown({ preview, artifact }: { readonly preview: Preview; readonly artifact: ArtifactRef }) {
  switch (preview.type) {
    case "table":
      return <TableView table={preview.table} label={`Rows of ${artifact.kind}`} />;
    case "markdown":
      return (
        <>
          {preview.isPart && <p className="quiet">The start of the document is shown.</p>}
          <MarkdownView text={preview.text} />
        </>
      );
    case "image":
      return <Image url={preview.url} kind={artifact.kind} />;
    case "empty":
      return <Empty title="This artifact is empty" />;
    case "too-large":
      return (
        <Empty title="Too large for a preview">
          <p>
            The image has {bytes(artifact.sizeBytes ?? 0)}. Images up to {bytes(preview.limit)} are shown. Download it
            instead.
          </p>
        </Empty>
      );
    case "unreadable":
      return (
        <Empty title="This file cannot be previewed">
          <p>{preview.problem} Download it instead.</p>
        </Empty>
      );
    case "none":
      return (
        <Empty title="No preview for this content">
          <p>Tables, images and Markdown are shown here. Download it instead.</p>
        </Empty>
      );
  }
}

function Image({ url, kind }: { readonly url: string; readonly kind: string }) {
  const [isDamaged, setDamaged] = useState(false);
  if (isDamaged)
    return (
      <Empty title="This image cannot be shown">
        <p>It is damaged, or the browser does not know its format. Download it instead.</p>
      </Empty>
    );
  return <img className="preview-image" src={url} alt={kind} onError={() => setDamaged(true)} />;
}
