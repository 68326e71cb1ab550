import { z } from "zod";
import { STORE_SCHEME, type Artifacts } from "@runledger/contracts";
import { findArtifact, type FoundArtifact } from "../artifacts/get-artifact.js";
import { route } from "../http/define-route.js";
import { identifier, integerParam } from "../http/schemas.js";
import { UNTRUSTED_CONTENT } from "../http/security-headers.js";
import { imageType } from "./image-type.js";
import { readRange, type ByteRange } from "./read-range.js";

const DEFAULT_BYTES = 256 * 1024;
const MAX_BYTES = 4 * 1024 * 1024;

export const previewArtifact = route({
  method: "GET",
  path: "/runs/{runId}/artifacts/{artifactId}/preview",
  operationId: "previewArtifact",
  tag: "runs",
  summary: "Read a part of an artifact",
  description:
    "Returns bytes near the start or the end of an artifact, at most 4 MiB. Images are recognized by their content and are " +
    "returned with the type of the image; all else is `application/octet-stream`. A browser saves the response, or shows it as an image in a page.",
  role: "viewer",
  isLargeRead: true,
  params: z.object({ runId: identifier, artifactId: identifier }),
  query: z.strictObject({
    offset: integerParam(0).optional().meta({ description: "First byte to return. Defaults to 0." }),
    bytes: integerParam(1, MAX_BYTES).optional().meta({
      description: "Number of bytes to return. Defaults to 262144. The end of the artifact may come earlier.",
    }),
  }),
  responses: { 200: { description: "The part of the artifact", mediaType: "application/octet-stream" } },
  problems: ["RUN_NOT_FOUND", "ARTIFACT_NOT_FOUND", "ARTIFACT_EXPIRED", "ARTIFACTS_UNAVAILABLE"],
  handle: async ({ params: { runId, artifactId }, query: { offset = 0, bytes: length = DEFAULT_BYTES }, store }) => {
    const found = await findArtifact(store, runId, artifactId);
    const bytes = await partOf(store.artifacts!, found, { offset, length });
    return { status: 200, bytes: once(bytes), headers: headersOf(bytes, offset) };
  },
});

/** A folder or a bucket reads any range. The store has chunks without a common size. */
async function partOf(stored: Artifacts, { artifact, port }: FoundArtifact, range: ByteRange): Promise<Buffer> {
  if (artifact.uri.startsWith(STORE_SCHEME)) return readRange(stored, artifact, range);
  const { uri, sizeBytes = Infinity } = artifact;
  const end = Math.min(sizeBytes, range.offset + range.length);
  if (range.offset >= end) return Buffer.alloc(0);
  const chunks: Uint8Array[] = [];
  for await (const chunk of port.read({ uri, start: range.offset, end })) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

function headersOf(bytes: Uint8Array, offset: number): Record<string, string> {
  return {
    ...UNTRUSTED_CONTENT,
    "content-type": (offset === 0 ? imageType(bytes) : undefined) ?? "application/octet-stream",
    "content-disposition": "attachment",
    "content-length": String(bytes.length),
  };
}
