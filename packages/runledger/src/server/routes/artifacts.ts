import { InputError, STORE_SCHEME, type Artifacts, type StoredArtifact } from "@runledger/contracts";
import { z } from "zod";
import { readArtifact } from "../../artifacts/read-artifact.js";
import { present } from "../../workflow/present.js";
import { ok, route } from "../http/define-route.js";
import { findRun } from "../runs/find-run.js";
import { artifactPage, artifactQuery } from "../schemas/artifact.js";
import { identifier } from "../schemas/values.js";

export const listArtifacts = route({
  method: "GET",
  path: "/runs/{runId}/artifacts",
  operationId: "listArtifacts",
  tag: "runs",
  summary: "What the steps of a run have written, oldest first, logs among it",
  description: "What is kept elsewhere than in the store is named by its steps, and is not listed here.",
  role: "viewer",
  params: z.object({ runId: identifier }),
  query: artifactQuery,
  answers: { 200: { description: "A page of artifacts", schema: artifactPage } },
  problems: ["RUN_NOT_FOUND"],
  handle: async ({ params: { runId }, query: { stepId, after, limit = 100 }, store }) => {
    await findRun(store, runId);
    const place = present({ stepId, afterUri: after === undefined ? undefined : STORE_SCHEME + after });
    const found = (await store.artifacts?.listArtifacts({ runId, ...place, limit: limit + 1 })) ?? [];
    const items = found
      .slice(0, limit)
      .map(({ runId: _, ...artifact }) => ({ artifactId: idOf(artifact), ...artifact }));
    return ok({ items, next: found.length > limit ? items.at(-1)!.artifactId : null });
  },
});

export const getArtifact = route({
  method: "GET",
  path: "/runs/{runId}/artifacts/{artifactId}",
  operationId: "getArtifact",
  tag: "runs",
  summary: "Download an artifact",
  description: "Whatever it holds, it is sent as a file to save, and never as something for a browser to show.",
  role: "viewer",
  params: z.object({ runId: identifier, artifactId: identifier }),
  answers: { 200: { description: "Its bytes", mediaType: "application/octet-stream" } },
  problems: ["RUN_NOT_FOUND", "ARTIFACT_NOT_FOUND"],
  handle: async ({ params: { runId, artifactId }, store }) => {
    await findRun(store, runId);
    const artifact = store.artifacts && (await find(store.artifacts, runId, artifactId));
    if (artifact === undefined)
      throw new InputError("ARTIFACT_NOT_FOUND", "artifactId", `run ${runId} has no artifact ${artifactId}.`);
    return { status: 200, bytes: readArtifact(store.artifacts!, artifact.uri), headers: headersOf(artifact) };
  },
});

/** Of this run, and not of another one of the tenant's: what sorts right before the id is where a short page begins. */
async function find(artifacts: Artifacts, runId: string, id: string): Promise<StoredArtifact | undefined> {
  const uri = STORE_SCHEME + id;
  const afterUri = uri.slice(0, -1);
  const place = afterUri === STORE_SCHEME ? {} : { afterUri };
  const siblings = await artifacts.listArtifacts({ runId, ...place, limit: 50 });
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

function idOf({ uri }: Pick<StoredArtifact, "uri">): string {
  return uri.slice(STORE_SCHEME.length);
}
