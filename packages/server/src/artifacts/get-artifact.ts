import { z } from "zod";
import { type Artifacts, InputError, STORE_SCHEME, type StoredArtifact, type TenantStore } from "@runledger/contracts";
import { readArtifact } from "@runledger/runtime/artifacts/read-artifact";
import { route } from "../http/define-route.js";
import { identifier } from "../http/schemas.js";
import { findRun } from "../runs/find-run.js";
import { idOf } from "./list-artifacts.js";

export const getArtifact = route({
  method: "GET",
  path: "/runs/{runId}/artifacts/{artifactId}",
  operationId: "getArtifact",
  tag: "runs",
  summary: "Download an artifact",
  description: "The response is always an attachment, so that a browser saves it and does not render it.",
  role: "viewer",
  params: z.object({ runId: identifier, artifactId: identifier }),
  responses: { 200: { description: "The content of the artifact", mediaType: "application/octet-stream" } },
  problems: ["RUN_NOT_FOUND", "ARTIFACT_NOT_FOUND"],
  handle: async ({ params: { runId, artifactId }, store }) => {
    const artifact = await findArtifact(store, runId, artifactId);
    return { status: 200, bytes: readArtifact(store.artifacts!, artifact.uri), headers: headersOf(artifact) };
  },
});

/** Throws RUN_NOT_FOUND or ARTIFACT_NOT_FOUND. */
export async function findArtifact(store: TenantStore, runId: string, artifactId: string): Promise<StoredArtifact> {
  await findRun(store, runId);
  const artifact = store.artifacts && (await find(store.artifacts, runId, artifactId));
  if (artifact !== undefined) return artifact;
  throw new InputError(
    "ARTIFACT_NOT_FOUND",
    "artifactId",
    `${artifactId} is not an artifact of run ${runId}. List them with GET /runs/${runId}/artifacts.`,
  );
}

/** Searches only this run's artifacts. The page starts just before the id in sort order, so it can be short. */
async function find(artifacts: Artifacts, runId: string, id: string): Promise<StoredArtifact | undefined> {
  const uri = STORE_SCHEME + id;
  const afterUri = uri.slice(0, -1);
  const cursor = afterUri === STORE_SCHEME ? {} : { afterUri };
  const siblings = await artifacts.listArtifacts({ runId, ...cursor, limit: 50 });
  return siblings.find((artifact) => artifact.uri === uri);
}

function headersOf({ uri, kind, stepId, sha256, sizeBytes }: StoredArtifact): Record<string, string> {
  const name = [stepId, kind, idOf({ uri })].filter((part) => part !== undefined).join("-");
  return {
    "content-type": "application/octet-stream",
    "content-disposition": `attachment; filename="${name.replaceAll(/[^\w.-]/g, "_")}"`,
    ...(sizeBytes === undefined ? {} : { "content-length": String(sizeBytes) }),
    ...(sha256 === undefined ? {} : { etag: `"${sha256}"` }),
  };
}
