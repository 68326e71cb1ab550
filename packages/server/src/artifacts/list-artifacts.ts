import { z } from "zod";
import { omitUndefined, STORE_SCHEME, type StoredArtifact } from "@runledger/contracts";
import { ok, route } from "../http/define-route.js";
import { afterParam, identifier, instant, limitParam, pageOf } from "../http/schemas.js";
import { byRun, findRun } from "../runs/find-run.js";

const storedArtifact = z
  .object({
    artifactId: z.string(),
    uri: z.string().meta({ description: "Address of the artifact, as steps and events refer to it." }),
    kind: z.string().meta({ description: "`log` for the output of a step, else the kind that the step chose." }),
    stepId: z
      .string()
      .optional()
      .meta({ description: "Step that wrote the artifact. Absent if it belongs to the run as a whole." }),
    attempt: z.int().optional(),
    sha256: z
      .string()
      .optional()
      .meta({ description: "SHA-256 of the content. Absent while the artifact is being written." }),
    sizeBytes: z.int().optional(),
    createdAt: instant,
  })
  .meta({ id: "StoredArtifact", description: "An artifact in the store." });

const artifactPage = pageOf("ArtifactPage", storedArtifact);

const artifactQuery = z.strictObject({
  stepId: identifier.optional().meta({ description: "Only artifacts of this step." }),
  after: identifier.optional().meta(afterParam),
  limit: limitParam(200, 100),
});

export const listArtifacts = route({
  method: "GET",
  path: "/runs/{runId}/artifacts",
  operationId: "listArtifacts",
  tag: "runs",
  summary: "List the artifacts of a run",
  description:
    "Returns artifacts and logs in the store, oldest first. Steps also refer to artifacts in other places, which are not listed.",
  role: "viewer",
  params: byRun,
  query: artifactQuery,
  responses: { 200: { description: "A page of artifacts", schema: artifactPage } },
  problems: ["RUN_NOT_FOUND"],
  handle: async ({ params: { runId }, query: { stepId, after, limit = 100 }, store }) => {
    await findRun(store, runId);
    const cursor = omitUndefined({ stepId, afterUri: after === undefined ? undefined : STORE_SCHEME + after });
    const found = (await store.artifacts?.listArtifacts({ runId, ...cursor, limit: limit + 1 })) ?? [];
    const items = found
      .slice(0, limit)
      .map(({ runId: _, ...artifact }) => ({ artifactId: idOf(artifact), ...artifact }));
    return ok({ items, next: found.length > limit ? items.at(-1)!.artifactId : null });
  },
});

export function idOf({ uri }: Pick<StoredArtifact, "uri">): string {
  return uri.slice(STORE_SCHEME.length);
}
