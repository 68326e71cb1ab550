import type { AnyFeed } from "./feed.js";

/** The limits of the server for one stream. */
const MAX: Readonly<Record<AnyFeed["kind"], number>> = { run: 50, runs: 20 };

/** Splits feeds into groups that fit into one stream. The newest feeds are in the first group; each group keeps their order. */
export function groupFeeds(feeds: readonly AnyFeed[]): readonly (readonly AnyFeed[])[] {
  const groups: AnyFeed[][] = [];
  const counts = { run: 0, runs: 0 };
  for (const feed of feeds.toReversed()) {
    const group = Math.floor(counts[feed.kind]++ / MAX[feed.kind]);
    (groups[group] ??= []).unshift(feed);
  }
  return groups;
}
