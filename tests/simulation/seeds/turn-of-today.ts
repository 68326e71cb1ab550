const DAY_MS = 86_400_000;

/** Returns 0 to `turns` - 1, another number each day. A suite uses it to run a part of its seeds. */
export function turnOfToday(turns: number): number {
  return Math.floor(Date.now() / DAY_MS) % turns;
}
