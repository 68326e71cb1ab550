import { artifactIdOf } from "@runledger/contracts";
import { client } from "../api/client.js";
import { contentOf, type Content } from "./content.js";
import { readParquet } from "./read-parquet.js";
import { artifactUrl, type PreviewProps } from "./source.js";
import type { Table } from "./table.js";

/** Bytes that are read to recognize an artifact, and to show text. */
const HEAD_BYTES = 256 * 1024;
/** The most that the server returns at once. */
const MAX_IMAGE_BYTES = 4 * 1024 * 1024;

export type Preview =
  | Exclude<Content, { type: "parquet" | "markdown" }>
  | { readonly type: "markdown"; readonly text: string; readonly isPart: boolean }
  | { readonly type: "image"; readonly url: string }
  | { readonly type: "too-large"; readonly limit: number }
  | { readonly type: "unreadable"; readonly problem: string };

/** Reads the start of an artifact, and more only for an image or a Parquet file. */
export async function loadPreview({ runId, artifact }: PreviewProps): Promise<Preview> {
  const id = artifactIdOf(artifact.uri)!;
  const response = await client.previewArtifact(runId, id, { bytes: HEAD_BYTES });
  const url = artifactUrl(runId, id);
  const bytes = new Uint8Array(await response.arrayBuffer());
  const sizeBytes = artifact.sizeBytes ?? bytes.length;
  if (response.headers.get("content-type")?.startsWith("image/") === true) return imageAt(url, sizeBytes);
  const isPart = bytes.length === HEAD_BYTES && sizeBytes > HEAD_BYTES;
  const content = contentOf(artifact.kind, bytes, isPart);
  if (content.type === "parquet") return parquetAt({ url, sizeBytes });
  return content.type === "markdown" ? { ...content, isPart } : content;
}

function imageAt(url: string, sizeBytes: number): Preview {
  if (sizeBytes > MAX_IMAGE_BYTES) return { type: "too-large", limit: MAX_IMAGE_BYTES };
  return { type: "image", url: `${url}/preview?bytes=${MAX_IMAGE_BYTES}` };
}

async function parquetAt(place: { readonly url: string; readonly sizeBytes: number }): Promise<Preview> {
  return readParquet(place).then(
    (table: Table): Preview => ({ type: "table", table }),
    (error: unknown): Preview => ({ type: "unreadable", problem: error instanceof Error ? error.message : "" }),
  );
}
