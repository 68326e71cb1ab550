import { InputError, STORE_SCHEME, type ArtifactRef } from "@runledger/contracts";
import type { ArtifactHome } from "./artifact-home.js";
import { ArtifactWriter } from "./artifact-writer.js";
import type { Redactor } from "./redactor.js";
import type { ArtifactBody, ArtifactSource, StepArtifacts } from "../workflow/step-tools.js";

const CHUNK_BYTES = 256 * 1024;

/** `ctx.artifact`. Passes written artifacts to `written`, which records them with the attempt's end. */
export function stepArtifacts(
  home: ArtifactHome,
  redactor: Redactor,
  written: (ref: ArtifactRef) => void,
): StepArtifacts {
  return {
    write: async (kind, body) => {
      const ref = await writeAll(new ArtifactWriter(home, redactor.text(kind)), redactor, body);
      written(ref);
      return ref;
    },
    read: ({ uri }) => storedBody(home, uri),
  };
}

async function writeAll(writer: ArtifactWriter, redactor: Redactor, body: ArtifactSource): Promise<ArtifactRef> {
  const clean = redactor.byteStream(); // S1
  let waiting = "";
  for await (const piece of pieces(body)) {
    waiting += clean.push(Buffer.from(piece).toString("latin1"));
    if (waiting.length < CHUNK_BYTES) continue;
    await writer.write(Buffer.from(waiting, "latin1"));
    waiting = "";
  }
  return writer.end(Buffer.from(waiting + clean.end(), "latin1"));
}

async function* pieces(body: ArtifactSource): AsyncGenerator<string | Uint8Array> {
  if (typeof body === "string" || body instanceof Uint8Array) yield body;
  else yield* body;
}

function storedBody(home: ArtifactHome, uri: string): ArtifactBody {
  const bytes = async (): Promise<Buffer> => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of read(home, uri)) chunks.push(chunk);
    return Buffer.concat(chunks);
  };
  return { [Symbol.asyncIterator]: () => read(home, uri), bytes, text: async () => (await bytes()).toString() };
}

async function* read({ artifacts, insist }: ArtifactHome, uri: string): AsyncGenerator<Uint8Array> {
  if (!uri.startsWith(STORE_SCHEME)) throw notFound(uri, `only ${STORE_SCHEME} addresses are read here.`);
  for (let afterChunk = 0; ;) {
    const at = afterChunk;
    const page = await insist(() => artifacts().readChunks({ uri, afterChunk: at }));
    if (page === null) throw notFound(uri, "there is no such artifact in this tenant.");
    yield* page.chunks;
    if (page.ended || page.chunks.length === 0) return;
    afterChunk += page.chunks.length;
  }
}

function notFound(uri: string, message: string): InputError {
  return new InputError("ARTIFACT_NOT_FOUND", uri, message);
}
