/** Lists that are divided among partitions, read as one list in the order of their ids. */
import type { DynamoClient } from "./client.js";
import { text } from "./encoding.js";
import { queryAll } from "./items.js";
import { allShards, shardOf, type Key } from "./table.js";

/** `list` is HEADS or PROJECTIONS. */
export const listKey = (list: string, runId: string): Key => ({ pk: `${list}#${shardOf(runId)}`, sk: runId });

/** Above every sort key of a list. */
const END = "\u{10ffff}";

/** Yields pages of ids above `afterId`, each of at most about `size`. */
export async function* listAcross(
  client: DynamoClient,
  list: string,
  afterId: string,
  size: number,
): AsyncGenerator<string[]> {
  const perShard = Math.min(Math.ceil(size / allShards.length) + 2, 1000);
  for (let after = afterId; ;) {
    const from = `${after}\u0000`;
    const pages = await Promise.all(
      allShards.map((shard) => queryAll(client, { pk: `${list}#${shard}`, from, to: END, limit: perShard })),
    );
    const ids = pages.map((page) => page.map((item) => text(item, "sk")));
    const ends = ids.filter((page) => page.length >= perShard).map((page) => page.at(-1)!);
    const bound = ends.sort(byBytes)[0]; // beyond it, a shard may have ids that were not read
    const page = ids.flat().filter((id) => bound === undefined || byBytes(id, bound) <= 0);
    yield page.sort(byBytes);
    if (bound === undefined) return;
    after = bound;
  }
}

function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
