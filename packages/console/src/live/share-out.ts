import type { AnyChannel } from "./channel.js";

/** What a server lets one stream carry. */
const MOST: Readonly<Record<AnyChannel["kind"], number>> = { run: 50, runs: 20 };

/** Groups that a stream each can carry, those first whose tabs came last; in a group, in the order in which they came. */
export function shareOut(channels: readonly AnyChannel[]): readonly (readonly AnyChannel[])[] {
  const groups: AnyChannel[][] = [];
  const counts = { run: 0, runs: 0 };
  for (const channel of channels.toReversed()) {
    const place = Math.floor(counts[channel.kind]++ / MOST[channel.kind]);
    (groups[place] ??= []).unshift(channel);
  }
  return groups;
}
