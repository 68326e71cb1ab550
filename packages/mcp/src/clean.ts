/**
 * Prepares a result for a language model. Texts come from runs, so they are untrusted: credentials are redacted, control
 * characters are escaped, and texts, lists and the result as a whole are bounded.
 */

/** Replaces the credentials of this process in a text. */
export type Redact = (text: string) => string;

interface Bounds {
  readonly text: number;
  readonly items: number;
}

/** The first bounds that make the result small enough are used. */
const BOUNDS: readonly Bounds[] = [
  { text: 4_000, items: 200 },
  { text: 1_000, items: 50 },
  { text: 200, items: 50 },
  { text: 200, items: 20 },
  { text: 80, items: 5 },
];

/** Characters of a result as JSON. A model reads about a quarter as many tokens. */
const MAX_RESULT = 40_000;

const MAX_DEPTH = 12;

/** Control characters except tabs and line breaks, and characters that are invisible or reorder a text. */
const HIDDEN =
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u00AD\u061C\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF]|[\u{E0000}-\u{E007F}]/gu;

/** API keys, tokens of a data directory and sessions. */
const CREDENTIAL = /\brl[kts]_[\w-]{8,}/g;

export function clean(value: object, redact: Redact): Readonly<Record<string, unknown>> {
  for (const bounds of BOUNDS) {
    const cut = { any: false };
    const cleaned = cleanObject(value, { redact, bounds, cut }, 0);
    const result = cut.any ? { ...cleaned, truncated: true } : cleaned;
    if (JSON.stringify(result).length <= MAX_RESULT) return result;
  }
  return { truncated: true, message: "The result is too large. Ask for less of it." };
}

interface Cleaning {
  readonly redact: Redact;
  readonly bounds: Bounds;
  readonly cut: { any: boolean };
}

function cleanObject(value: object, cleaning: Cleaning, depth: number): Record<string, unknown> {
  const entries = Object.entries(value).filter(([, part]) => part !== undefined);
  const kept = entries.slice(0, cleaning.bounds.items);
  if (kept.length < entries.length) cleaning.cut.any = true;
  return Object.fromEntries(
    kept.map(([key, part]) => [cleanText(key, cleaning), cleanValue(part, cleaning, depth + 1)]),
  );
}

function cleanValue(value: unknown, cleaning: Cleaning, depth: number): unknown {
  if (typeof value === "string") return cleanText(value, cleaning);
  if (typeof value !== "object" || value === null) return value;
  if (depth > MAX_DEPTH) return cutOff(cleaning, null);
  if (!Array.isArray(value)) return cleanObject(value, cleaning, depth);
  const kept = value.slice(0, cleaning.bounds.items).map((part) => cleanValue(part, cleaning, depth + 1));
  return kept.length < value.length ? cutOff(cleaning, kept) : kept;
}

function cleanText(text: string, cleaning: Cleaning): string {
  const { redact, bounds } = cleaning;
  const safe = redact(text)
    .replaceAll(CREDENTIAL, (found) => `${found.slice(0, 4)}[redacted]`)
    .replaceAll(HIDDEN, (found) => `\\u{${found.codePointAt(0)!.toString(16)}}`);
  if (safe.length <= bounds.text) return safe;
  return cutOff(cleaning, `${safe.slice(0, bounds.text).replace(/[\uD800-\uDBFF]$/, "")}…`);
}

function cutOff<T>(cleaning: Cleaning, rest: T): T {
  cleaning.cut.any = true;
  return rest;
}
