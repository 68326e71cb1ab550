const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds; null = it is no duration. */
export function parseDuration(text: unknown): number | null {
  const match = typeof text === "string" ? /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text) : null;
  return match === null ? null : Math.round(Number(match[1]) * UNITS[match[2]!]!);
}
