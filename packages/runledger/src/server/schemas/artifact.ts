import { z } from "zod";
import { identifier, instant, pageOf, wholeNumber } from "./values.js";

const storedArtifact = z
  .object({
    artifactId: z.string(),
    uri: z.string(),
    kind: z.string(),
    stepId: z.string().optional().meta({ description: "Absent = it belongs to the run as a whole" }),
    attempt: z.int().optional(),
    sha256: z.string().optional().meta({ description: "Absent = it is still being written" }),
    sizeBytes: z.int().optional(),
    createdAt: instant,
  })
  .meta({ id: "StoredArtifact" });

export const artifactPage = pageOf("ArtifactPage", storedArtifact);

export const artifactQuery = z.strictObject({
  stepId: identifier.optional(),
  after: identifier.optional().meta({ description: "The `next` of the page before" }),
  limit: wholeNumber(1, 200).optional().meta({ description: "Default 100" }),
});
