import { z } from "zod";
import {
  artifactIdOf,
  omitUndefined,
  type ArtifactPort,
  type Artifacts,
  type StoredArtifact,
} from "@runledger/contracts";
import { artifactPort } from "@runledger/runtime/artifacts/artifact-port";
import { withExpiry } from "@runledger/runtime/artifacts/artifact-expiry";
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
    sha256: z.string().optional().meta({
      description:
        "SHA-256 of the content. Absent while the artifact is being written, and for an artifact in a folder or a bucket: the event that refers to it has it.",
    }),
    sizeBytes: z.int().optional(),
    createdAt: instant,
    expiresAt: instant.optional().meta({
      description:
        "From then on a retention policy deletes the content, once the run is archived and no other run needs it. Absent if the artifact is kept until its run is deleted.",
    }),
    expiredAt: instant.optional().meta({
      description: "Time when a retention policy deleted the content. Absent if the content exists.",
    }),
  })
  .meta({ id: "StoredArtifact", description: "An artifact of a run." });

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
    "Returns artifacts and logs, oldest first: those in the store, and those in the folder or bucket that this server is configured with. Steps may also refer to artifacts in other places, which are not listed.",
  role: "viewer",
  params: byRun,
  query: artifactQuery,
  responses: { 200: { description: "A page of artifacts", schema: artifactPage } },
  problems: ["RUN_NOT_FOUND", "ARTIFACTS_UNAVAILABLE"],
  handle: async ({ params: { runId }, query: { stepId, after, limit = 100 }, store, api }) => {
    await findRun(store, runId);
    const filter = { runId, ...omitUndefined({ stepId, afterId: after }), limit: limit + 1 };
    const found = store.artifacts === undefined ? [] : await listed(store.artifacts, filter);
    const dated = await withExpiry(api.ledger.store.retention, store.tenantId, found.slice(0, limit));
    const items = dated.map(({ runId: _, ...artifact }) => ({ artifactId: idOf(artifact), ...artifact }));
    return ok({ items, next: found.length > limit ? items.at(-1)!.artifactId : null });
  },
});

function listed(artifacts: Artifacts, filter: Parameters<ArtifactPort["list"]>[0]): Promise<StoredArtifact[]> {
  return artifactPort(() => artifacts).list(filter);
}

export function idOf({ uri }: Pick<StoredArtifact, "uri">): string {
  return artifactIdOf(uri) ?? uri;
}
