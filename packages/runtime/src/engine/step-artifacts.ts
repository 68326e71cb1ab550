import type { ArtifactRef } from "@runledger/contracts";
import { artifactPort } from "../artifacts/artifact-port.js";
import type { ArtifactHome } from "./artifact-home.js";
import type { Redactor } from "./redactor.js";
import type { ArtifactBody, ArtifactSource, StepArtifacts } from "../workflow/step-tools.js";

const CHUNK_BYTES = 256 * 1024;

/** `ctx.artifact`. Passes written artifacts to `written`, which records them with the attempt's end. */
export function stepArtifacts(
  { artifacts, insist, about }: ArtifactHome,
  redactor: Redactor,
  written: (ref: ArtifactRef) => void,
): StepArtifacts {
  const port = artifactPort(artifacts, insist);
  return {
    write: async (kind, body) => {
      const artifact = { ...about, kind: redactor.text(kind) };
      const ref = await port.write({ artifact, content: redacted(redactor, body) });
      written(ref);
      return ref;
    },
    read: (ref) => storedBody(() => port.read(ref)),
  };
}

/** Replaces secrets (S1), and gathers small pieces. */
async function* redacted(redactor: Redactor, body: ArtifactSource): AsyncGenerator<Uint8Array> {
  const clean = redactor.byteStream();
  let waiting = "";
  for await (const piece of pieces(body)) {
    waiting += clean.push(Buffer.from(piece).toString("latin1"));
    if (waiting.length < CHUNK_BYTES) continue;
    yield Buffer.from(waiting, "latin1");
    waiting = "";
  }
  yield Buffer.from(waiting + clean.end(), "latin1");
}

async function* pieces(body: ArtifactSource): AsyncGenerator<string | Uint8Array> {
  if (typeof body === "string" || body instanceof Uint8Array) yield body;
  else yield* body;
}

function storedBody(read: () => AsyncIterable<Uint8Array>): ArtifactBody {
  const bytes = async (): Promise<Buffer> => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of read()) chunks.push(chunk);
    return Buffer.concat(chunks);
  };
  return {
    [Symbol.asyncIterator]: () => read()[Symbol.asyncIterator](),
    bytes,
    text: async () => (await bytes()).toString(),
  };
}
