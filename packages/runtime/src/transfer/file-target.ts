import { StopError } from "@runledger/contracts";
import { eventLine, extend, NO_EVENTS } from "./event-line.js";
import type { CopyTarget, RunPart } from "./copy-target.js";
import { FolderWriter, openFolder, type NewPart } from "./export-folder.js";

/** Bytes gathered before a write, while the previous write is in flight. */
const FLUSH_BYTES = 8 * 1024 * 1024;

/** Copies runs into an export folder. */
export async function fileTarget(folder: string): Promise<CopyTarget> {
  const parts = await openFolder(folder);
  const known = new Map(parts.map(({ runId, toSeq, checksum }) => [runId, { seq: toSeq, checksum }]));
  const writer = await FolderWriter.open(folder, parts.at(-1));
  let [gathered, bytes]: [NewPart[], number] = [[], 0];
  let writing: Promise<void> = Promise.resolve();

  /** The write in flight. The next `write` or `flush` throws its error. */
  const begin = async (): Promise<void> => {
    await writing;
    if (gathered.length > 0) writing = writer.append(gathered);
    writing.catch(() => {});
    [gathered, bytes] = [[], 0];
  };
  const add = (part: RunPart): void => {
    const before = known.get(part.runId) ?? { seq: 0, checksum: NO_EVENTS };
    const { text, seq, checksum } = render(part, before);
    const { runId, tenantId, afterSeq, events } = part;
    gathered.push({ runId, tenantId, afterSeq, toSeq: seq, events: events.length, checksum, text });
    known.set(runId, { seq, checksum });
    bytes += text.length;
  };
  return {
    positions: async (runIds) => runIds.map((runId) => known.get(runId)?.seq ?? 0),
    write: async (written) => {
      for (const part of written) if (part.events.length > 0) add(part);
      if (bytes > FLUSH_BYTES) await begin();
    },
    flush: async () => {
      await begin();
      await writing;
    },
    [Symbol.asyncDispose]: async () => {
      await writing.catch(() => {}); // `write` or `flush` already threw the error
      await writer.close();
    },
  };
}

function render({ runId, events }: RunPart, before: { readonly seq: number; readonly checksum: string }) {
  let { seq, checksum } = before;
  let text = "";
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
  return { text: Buffer.from(text), seq, checksum };
}
