import { artifactIdOf, type Json, type RunHeader } from "@runledger/contracts";
import type { Backend } from "./backend.js";

/** Returns the output of a completed run. A response leaves out a large one, which is downloaded. */
export async function readOutput(
  { catalog }: Backend,
  { runId, output, outputArtifact }: RunHeader,
): Promise<Json | undefined> {
  if (output !== undefined || outputArtifact === undefined) return output;
  const { uri } = outputArtifact;
  const chunks: Uint8Array[] = [];
  for await (const chunk of await catalog.readArtifact(runId, artifactIdOf(uri) ?? uri)) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString()) as Json;
}
