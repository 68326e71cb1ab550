const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Renders milliseconds in the largest unit that divides them: `90m`, `2h`. */
export function formatDuration(ms: number): string {
  let text = `${ms}ms`;
  for (const [unit, size] of Object.entries(UNITS)) if (ms >= size && ms % size === 0) text = `${ms / size}${unit}`;
  return text;
}

/** The longest duration, 100 years. Longer ones could lead to times that no store can keep. */
const MAX_DAYS = 36_500;

/** Returns milliseconds, or `null` if the text is not a duration of at most 36,500 days. */
export function parseDuration(text: unknown): number | null {
  const match = typeof text === "string" ? /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text) : null;
  if (match === null) return null;
  const ms = Math.round(Number(match[1]) * UNITS[match[2]!]!);
  return ms <= MAX_DAYS * UNITS["d"]! ? ms : null;
}
