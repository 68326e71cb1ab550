/**
 * The items of a forEach.
 *  D1  Records the closure's result: in the event if it is small, otherwise as an artifact that is read page by page. An
 *      event or a worker's memory never holds all of 100,000 items.
 */
import {
  checkedJson,
  InputError,
  MAX_EVENT_BYTES,
  type Artifacts,
  type Json,
  type Opened,
  type StateStore,
} from "@runledger/contracts";
import type { RunState } from "@runledger/core";
import { artifactHome } from "./artifact-home.js";
import { ArtifactWriter } from "../artifacts/artifact-writer.js";
import type { Retry } from "../time/retry.js";
import type { RunContext } from "./run-context.js";
import { dropUndefined } from "../workflow/drop-undefined.js";

const MAX_INLINE_BYTES = 16 * 1024;
const PAGE_BYTES = 128 * 1024;
const MAX_PAGE_SIZE = 1024;
/** Cached pages. Steps read items roughly in order, so few pages serve many reads. */
const CACHED_PAGES = 32;

type ItemList = NonNullable<Opened["items"]>;

export async function recordItems(
  context: RunContext,
  state: RunState,
  about: { readonly stepId: string; readonly attempt: number },
  given: readonly unknown[],
  insist: Retry,
): Promise<Opened> {
  const items = given.map((item) => dropUndefined(item));
  const lines = items.map((item, index) => {
    checkedJson(`items[${index}]`, item, MAX_EVENT_BYTES);
    return JSON.stringify(context.redactor?.json(item as Json) ?? item);
  });
  const bytes = lines.reduce((sum, line) => sum + line.length, 0);
  const count = items.length;
  if (bytes <= MAX_INLINE_BYTES) return { count, items: { inline: items as Json[] } };
  const home = artifactHome(context, state, about, insist);
  return { count, items: await writePages(new ArtifactWriter(home, "items"), lines) };
}

/** One chunk per page, so that an item's page follows from its index. */
async function writePages(writer: ArtifactWriter, lines: readonly string[]): Promise<ItemList> {
  const pageSize = pageSizeOf(lines);
  for (let from = 0; from < lines.length; from += pageSize) {
    await writer.write(Buffer.from(`${lines.slice(from, from + pageSize).join("\n")}\n`));
  }
  await writer.end();
  return { artifact: writer.uri, pageSize };
}

/** The number of items that fit into every page. */
function pageSizeOf(lines: readonly string[]): number {
  for (let size = MAX_PAGE_SIZE; size > 1; size /= 2) {
    const pages = Array.from({ length: Math.ceil(lines.length / size) }, (_, page) => page * size);
    const lengths = pages.map((from) => lines.slice(from, from + size).reduce((sum, line) => sum + line.length, 0));
    if (lengths.every((length) => length <= PAGE_BYTES)) return size;
  }
  return 1;
}

/** Returns a copy for each step. */
export async function itemAt(
  context: RunContext,
  state: RunState,
  containerId: string,
  index: number,
): Promise<Json | undefined> {
  const list = state.steps.get(containerId)?.opened?.items;
  if (list === undefined || "inline" in list) return structuredClone(list?.inline[index]);
  const { artifacts } = artifactHome(context, state, { stepId: containerId, attempt: 1 }, (action) => action());
  const lines = await pagesOf(context.store).page(artifacts, list.artifact, Math.floor(index / list.pageSize));
  return JSON.parse(lines[index % list.pageSize]!) as Json;
}

const caches = new WeakMap<StateStore, PageCache>();

function pagesOf(store: StateStore): PageCache {
  const known = caches.get(store) ?? new PageCache();
  caches.set(store, known);
  return known;
}

/** Caches the last pages, and shares reads in flight. */
class PageCache {
  readonly #pages = new Map<string, Promise<readonly string[]>>();

  page(artifacts: () => Artifacts, uri: string, page: number): Promise<readonly string[]> {
    const key = `${page} ${uri}`;
    const found = this.#pages.get(key) ?? readPage(artifacts(), uri, page);
    this.#pages.delete(key);
    this.#pages.set(key, found);
    found.catch(() => this.#pages.delete(key)); // the next read retries
    const [oldest] = this.#pages.keys();
    if (this.#pages.size > CACHED_PAGES) this.#pages.delete(oldest!);
    return found;
  }
}

async function readPage(artifacts: Artifacts, uri: string, page: number): Promise<readonly string[]> {
  const [bytes] = (await artifacts.readChunks({ uri, afterChunk: page, limit: 1 }))?.chunks ?? [];
  if (bytes === undefined) throw new InputError("ARTIFACT_NOT_FOUND", uri, "holds items of a forEach and is gone.");
  return Buffer.from(bytes).toString().split("\n");
}
