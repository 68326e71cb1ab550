/** Writes one object: a small one with one request, a large one in parts. Several parts are sent at a time. */
import { randomUUID } from "node:crypto";
import { ArtifactExistsError, objectParts } from "@runledger/contracts";
import { isMissing, isTaken, type CompletedPart, type S3Client } from "./s3-client.js";

const MIB = 1024 * 1024;
const PART_BYTES = 8 * MIB;
/** Parts in memory: those that are sent, and one that is being filled. */
const SENT_AT_ONCE = 3;

/** An upload has at most 10,000 parts, so later ones are larger: 5 TB, the largest object, fits. */
function sizeOf(part: number): number {
  return PART_BYTES * 2 ** Math.floor((part - 1) / 1000);
}

export async function upload(client: S3Client, key: string, content: AsyncIterable<Uint8Array>): Promise<void> {
  const writer = randomUUID();
  const parts = objectParts(content, sizeOf);
  const { value: first } = await parts.next();
  if (first === undefined) throw new Error("A stream has at least one part.");
  if (first.isLast) return created(client, key, writer, () => client.put(key, writer, first.bytes));
  const uploadId = await client.startUpload(key, writer).catch(async (error: unknown) => {
    await parts.return(undefined).catch(() => {}); // closes the content
    throw error;
  });
  const sent = new Sending(client, key, uploadId);
  try {
    await sent.add(first);
    for await (const part of parts) await sent.add(part);
    const completed = await sent.all();
    await created(client, key, writer, () => client.completeUpload(key, uploadId, completed));
  } catch (error) {
    await sent.settled(); // a part that arrives after the abort would stay
    await client.abortUpload(key, uploadId).catch(() => {}); // `removeAbandoned` does it later
    throw error;
  }
}

class Sending {
  readonly #client: S3Client;
  readonly #key: string;
  readonly #uploadId: string;
  readonly #open = new Set<Promise<void>>();
  readonly #completed: CompletedPart[] = [];

  constructor(client: S3Client, key: string, uploadId: string) {
    this.#client = client;
    this.#key = key;
    this.#uploadId = uploadId;
  }

  /** Resolves when there is room for another part. */
  async add({ part, bytes }: { readonly part: number; readonly bytes: Uint8Array }): Promise<void> {
    const sent = this.#client
      .putPart({ key: this.#key, uploadId: this.#uploadId, part, bytes })
      .then((completed) => void this.#completed.push(completed))
      .then(() => void this.#open.delete(sent));
    sent.catch(() => {}); // stays open, so that the next call fails
    this.#open.add(sent);
    if (this.#open.size >= SENT_AT_ONCE) await Promise.race(this.#open);
  }

  async all(): Promise<CompletedPart[]> {
    await Promise.all(this.#open);
    return this.#completed.sort((a, b) => a.PartNumber - b.PartNumber);
  }

  async settled(): Promise<void> {
    await Promise.allSettled(this.#open);
  }
}

/** A request that was repeated after a lost answer finds its own object. */
async function created(client: S3Client, key: string, writer: string, create: () => Promise<void>): Promise<void> {
  try {
    await create();
  } catch (error) {
    if (!isTaken(error) && !isMissing(error)) throw error;
    const found = await client.head(key);
    if (found?.writer === writer) return;
    if (found === null) throw error;
    throw new ArtifactExistsError(`${client.url}/${key}`);
  }
}
