/** The format of a spool: records with a header of length and checksum, and JSON after it. */
import { crc32 } from "node:zlib";
import type { NewEvent } from "@runledger/contracts";

/** The events of an append that its worker did not wait for (B1). */
export interface SpooledAppend {
  readonly runId: string;
  /** The epoch under which the worker owned the run. */
  readonly epoch: number;
  readonly events: readonly NewEvent[];
}

/** Length and checksum, 4 bytes each. */
const HEADER = 8;

export function encodeRecord(append: SpooledAppend): Buffer {
  const body = Buffer.from(JSON.stringify(append));
  const header = Buffer.alloc(HEADER);
  header.writeUInt32LE(body.length, 0);
  header.writeUInt32LE(crc32(body), 4);
  return Buffer.concat([header, body]);
}

/** Reads records up to the first that is torn or damaged. A process that was killed may leave one at the end. */
export function decodeRecords(bytes: Buffer): { readonly appends: SpooledAppend[]; readonly validBytes: number } {
  const appends: SpooledAppend[] = [];
  let at = 0;
  for (let body = bodyAt(bytes, at); body !== null; body = bodyAt(bytes, at)) {
    appends.push(JSON.parse(body.toString()) as SpooledAppend);
    at += HEADER + body.length;
  }
  return { appends, validBytes: at };
}

/** A file system may leave zeros after a crash, so an empty record is not valid. */
function bodyAt(bytes: Buffer, at: number): Buffer | null {
  if (at + HEADER > bytes.length) return null;
  const length = bytes.readUInt32LE(at);
  const body = bytes.subarray(at + HEADER, at + HEADER + length);
  return length > 0 && body.length === length && crc32(body) === bytes.readUInt32LE(at + 4) ? body : null;
}
