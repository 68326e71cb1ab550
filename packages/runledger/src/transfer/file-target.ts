import { StopError } from "@runledger/contracts";
import { eventLine, extend, NO_EVENTS } from "./event-line.js";
import type { CopyTarget, RunPart } from "./copy-target.js";
import { FolderWriter, openFolder, type FilePart } from "./export-folder.js";

/** What is gathered before it is made durable. */
const FLUSH_BYTES = 8 * 1024 * 1024;

/** A folder of JSON lines as the place that runs are copied to. */
export async function fileTarget(folder: string): Promise<CopyTarget> {
  const parts = await openFolder(folder);
  const known = new Map(parts.map(({ runId, toSeq, checksum }) => [runId, { seq: toSeq, checksum }]));
  const writer = await FolderWriter.open(folder, parts.at(-1));
  let [texts, pending, bytes]: [string[], FilePart[], number] = [[], [], 0];

  const flush = async (): Promise<void> => {
    if (pending.length > 0) await writer.append(texts, pending);
    [texts, pending, bytes] = [[], [], 0];
  };
  const add = (part: RunPart): void => {
    const { seq, checksum } = known.get(part.runId) ?? { seq: 0, checksum: NO_EVENTS };
    const run = render(part, seq, checksum);
    const size = Buffer.byteLength(run.text);
    const { runId, tenantId, afterSeq } = part;
    const { file, offset } = writer.place;
    const place = { file, offset: offset + bytes, bytes: size };
    pending.push({
      runId,
      tenantId,
      afterSeq,
      toSeq: run.seq,
      events: part.events.length,
      checksum: run.checksum,
      ...place,
    });
    known.set(runId, { seq: run.seq, checksum: run.checksum });
    texts.push(run.text);
    bytes += size;
  };
  return {
    positions: async (runIds) => runIds.map((runId) => known.get(runId)?.seq ?? 0),
    write: async (written) => {
      for (const part of written) if (part.events.length > 0) add(part);
      if (bytes > FLUSH_BYTES) await flush();
    },
    flush,
    [Symbol.asyncDispose]: () => writer.close(),
  };
}

function render({ runId, events }: RunPart, from: number, before: string) {
  let [text, checksum, seq] = ["", before, from];
  for (const event of events) {
    if (event.runSeq !== ++seq)
      throw new StopError(
        "COPY_MISMATCH",
        `Run ${runId} has a gap in front of seq ${event.runSeq}; it was not copied.`,
      );
    const line = eventLine(event);
    checksum = extend(checksum, line);
    text += `${line}\n`;
  }
  return { text, checksum, seq };
}
