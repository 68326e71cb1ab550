import type { RunDiff } from "@runledger/client";
import { client } from "../api/client.js";

const PER_PAGE = 1000;

/** Fetches all pages of a comparison. */
export async function fetchDiff(a: string, b: string): Promise<RunDiff> {
  const first = await client.diffRuns(a, b, { limit: PER_PAGE });
  const items = [...first.items];
  for (let { next } = first; next !== null;) {
    const page = await client.diffRuns(a, b, { after: Number(next), limit: PER_PAGE });
    items.push(...page.items);
    ({ next } = page);
  }
  return { ...first, items, next: null };
}
