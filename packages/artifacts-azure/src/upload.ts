/** Writes one object: a small one with one request, a large one in blocks. Several blocks are sent at a time. */
import { randomUUID } from "node:crypto";
import { ArtifactExistsError, objectParts } from "@runledger/contracts";
import { isTaken, type AzureClient } from "./azure-client.js";

const BLOCK_BYTES = 8 * 1024 * 1024;
/** Blocks in memory: those that are sent, and one that is being filled. */
const SENT_AT_ONCE = 3;

/** An object has at most 50,000 blocks, so later ones are larger. */
function sizeOf(block: number): number {
  return BLOCK_BYTES * 2 ** Math.floor((block - 1) / 10_000);
}

export async function upload(client: AzureClient, key: string, content: AsyncIterable<Uint8Array>): Promise<void> {
  const writer = randomUUID();
  const parts = objectParts(content, sizeOf);
  const { value: first } = await parts.next();
  if (first === undefined) throw new Error("A stream has at least one part.");
  if (first.isLast) return created(client, key, writer, () => client.put(key, writer, first.bytes));
  const sent = new Sending(client, key, writer);
  try {
    await sent.add(first);
    for await (const part of parts) await sent.add(part);
    const blockIds = await sent.all();
    await created(client, key, writer, () => client.commit(key, writer, blockIds));
  } catch (error) {
    await sent.settled();
    if (!(error instanceof ArtifactExistsError)) await discardBlocks(client, key).catch(() => {}); // `removeAbandoned` does it later
    throw error;
  }
}

/** Azure discards the blocks of a key when an object is created from others. The empty object is deleted. */
export async function discardBlocks(client: AzureClient, key: string): Promise<void> {
  try {
    await client.commit(key, "none", []);
  } catch (error) {
    if (isTaken(error)) return;
    throw error;
  }
  await client.delete(key);
}

class Sending {
  readonly #client: AzureClient;
  readonly #key: string;
  readonly #writer: string;
  readonly #open = new Set<Promise<void>>();
  readonly #blockIds: string[] = [];

  constructor(client: AzureClient, key: string, writer: string) {
    this.#client = client;
    this.#key = key;
    this.#writer = writer;
  }

  /** Resolves when there is room for another block. */
  async add({ part, bytes }: { readonly part: number; readonly bytes: Uint8Array }): Promise<void> {
    const name = `${this.#writer}-${String(part).padStart(6, "0")}`; // all names of an object have the same length
    const blockId = Buffer.from(name).toString("base64");
    this.#blockIds.push(blockId);
    const sent = this.#client.putBlock(this.#key, blockId, bytes).then(() => void this.#open.delete(sent));
    sent.catch(() => {}); // stays open, so that the next call fails
    this.#open.add(sent);
    if (this.#open.size >= SENT_AT_ONCE) await Promise.race(this.#open);
  }

  async all(): Promise<readonly string[]> {
    await Promise.all(this.#open);
    return this.#blockIds;
  }

  async settled(): Promise<void> {
    await Promise.allSettled(this.#open);
  }
}

/** A request that was repeated after a lost answer finds its own object. */
async function created(client: AzureClient, key: string, writer: string, create: () => Promise<void>): Promise<void> {
  try {
    await create();
  } catch (error) {
    if (!isTaken(error)) throw error;
    if ((await client.head(key))?.writer !== writer) throw new ArtifactExistsError(`${client.url}/${key}`);
  }
}
