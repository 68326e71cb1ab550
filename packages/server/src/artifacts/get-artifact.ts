import { z } from "zod";
import {
  ArtifactExpiredError,
  InputError,
  type ArtifactPort,
  type StoredArtifact,
  type TenantStore,
} from "@runledger/contracts";
import { artifactPort } from "@runledger/runtime/artifacts/artifact-port";
import { findArtifact as searchArtifact } from "@runledger/runtime/runs/find-artifact";
import { route, type Reply } from "../http/define-route.js";
import { identifier } from "../http/schemas.js";
import { findRun } from "../runs/find-run.js";
import { idOf } from "./list-artifacts.js";

/** Long enough to follow the redirect. A download that has started continues. */
const LINK_SECONDS = 60;

export const getArtifact = route({
  method: "GET",
  path: "/runs/{runId}/artifacts/{artifactId}",
  operationId: "getArtifact",
  tag: "runs",
  summary: "Download an artifact",
  description:
    "The response is always an attachment, so that a browser saves it and does not render it. An artifact in a bucket is " +
    "downloaded from the bucket: the response redirects to a signed URL that expires after a minute.",
  role: "viewer",
  params: z.object({ runId: identifier, artifactId: identifier }),
  responses: {
    200: { description: "The content of the artifact", mediaType: "application/octet-stream" },
    302: { description: "The address of the content in a bucket" },
  },
  problems: ["RUN_NOT_FOUND", "ARTIFACT_NOT_FOUND", "ARTIFACT_EXPIRED", "ARTIFACTS_UNAVAILABLE"],
  handle: async ({ params: { runId, artifactId }, store }) => {
    const { artifact, port } = await findArtifact(store, runId, artifactId);
    return reply(port, artifact);
  },
});

export interface FoundArtifact {
  readonly artifact: StoredArtifact;
  readonly port: ArtifactPort;
}

/** Throws RUN_NOT_FOUND, ARTIFACT_NOT_FOUND or ARTIFACT_EXPIRED. */
export async function findArtifact(store: TenantStore, runId: string, artifactId: string): Promise<FoundArtifact> {
  await findRun(store, runId);
  const port = store.artifacts && artifactPort(() => store.artifacts!);
  const artifact = port && (await searchArtifact(store, port, { runId, artifactId }));
  if (artifact?.expiredAt !== undefined) throw new ArtifactExpiredError(artifact.uri, artifact.expiredAt);
  if (artifact !== undefined) return { artifact, port: port! };
  throw new InputError(
    "ARTIFACT_NOT_FOUND",
    "artifactId",
    `${artifactId} is not an artifact of run ${runId}. List them with GET /runs/${runId}/artifacts.`,
  );
}

async function reply(port: ArtifactPort, artifact: StoredArtifact): Promise<Reply> {
  const { uri } = artifact;
  const fileName = fileNameOf(artifact);
  const location = await port.link({ uri, fileName, expiresInSeconds: LINK_SECONDS });
  if (location !== null) return { status: 302, headers: { location } };
  return { status: 200, bytes: port.read({ uri }), headers: headersOf(artifact, fileName) };
}

function fileNameOf({ uri, kind, stepId }: StoredArtifact): string {
  const name = [stepId, kind, idOf({ uri })].filter((part) => part !== undefined).join("-");
  return name.replaceAll(/[^\w.-]/g, "_");
}

function headersOf({ sha256, sizeBytes }: StoredArtifact, fileName: string): Record<string, string> {
  return {
    "content-type": "application/octet-stream",
    "content-disposition": `attachment; filename="${fileName}"`,
    ...(sizeBytes === undefined ? {} : { "content-length": String(sizeBytes) }),
    ...(sha256 === undefined ? {} : { etag: `"${sha256}"` }),
  };
}
