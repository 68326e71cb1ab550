/** The texts that the redactor searches for. */

/** Fewer characters than this at the end of a text are not taken for the beginning of a secret. */
export const MIN_BEGINNING = 4;

export interface Match {
  readonly at: number;
  readonly end: number;
}

export interface Spelling {
  /** Identifies the spelling among those of all secrets. */
  readonly key: string;
  /** Set if each character has one form: then it is the whole text. */
  readonly exact: string | null;
  /** The forms of each character. */
  readonly characters: readonly (readonly string[])[];
  readonly maxLength: number;
  /** Finds the places where a match may start. */
  readonly start: RegExp;
}

export interface Needle extends Spelling {
  readonly instead: string;
  /** `true` if the name is a guess, because no step has resolved the secret yet. */
  readonly isGuess: boolean;
}

/** Characters that select the places where the rest is compared. More would make the expression slow. */
const START = 3;

export function spellingOf(characters: readonly (readonly string[])[]): Spelling {
  const key = characters.map(([plain]) => plain).join("");
  const exact = characters.every(({ length }) => length === 1) ? key : null;
  const maxLength = characters.reduce((sum, forms) => sum + Math.max(...forms.map(({ length }) => length)), 0);
  const groups = characters.slice(0, START).map((forms) => `(?:${forms.map(escaped).join("|")})`);
  return { key, exact, characters, maxLength, start: new RegExp(groups.join(""), "g") };
}

/** The spelling of a text that has no other forms. */
export function exactly(text: string): Spelling {
  return { key: text, exact: text, characters: [], maxLength: text.length, start: /(?!)/g };
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
}

/** Returns the first match that starts at `from` or later. */
export function findMatch(text: string, needle: Spelling, from = 0): Match | null {
  const { key, start, characters, exact } = needle;
  if (text.length - from < key.length) return null; // no form is shorter
  if (exact !== null) return exactMatch(text, exact, from);
  start.lastIndex = from;
  for (let found = start.exec(text); found !== null; found = start.exec(text)) {
    const end = endOf(text, found.index, characters);
    if (end !== null && end !== "later") return { at: found.index, end };
    start.lastIndex = found.index + 1;
  }
  return null;
}

function exactMatch(text: string, exact: string, from: number): Match | null {
  const at = text.indexOf(exact, from);
  return at < 0 ? null : { at, end: at + exact.length };
}

/**
 * Returns where the shortest match ends, or `later` if it may end in text that follows. Follows all combinations of forms at
 * the same time: an expression would try them one by one, which takes exponential time.
 */
function endOf(text: string, at: number, characters: readonly (readonly string[])[]): number | "later" | null {
  let places = new Set([at]);
  let isOpen = false;
  for (const forms of characters) {
    const next = new Set<number>();
    for (const place of places)
      for (const form of forms) {
        if (text.startsWith(form, place)) next.add(place + form.length);
        else isOpen ||= text.length - place < form.length && form.startsWith(text.slice(place));
      }
    places = next;
    if (places.size === 0) return isOpen ? "later" : null;
  }
  return Math.min(...places);
}

/** Replaces the needles in their order. */
export function replaced(text: string, needles: readonly Needle[]): string {
  return needles.reduce(replaceOne, text);
}

function replaceOne(text: string, needle: Needle): string {
  let match = findMatch(text, needle);
  if (match === null) return text;
  const parts: string[] = [];
  let from = 0;
  for (; match !== null; match = findMatch(text, needle, from)) {
    parts.push(text.slice(from, match.at), needle.instead);
    from = match.end;
  }
  return parts.join("") + text.slice(from);
}

/** Returns the length of the longest suffix of `text` that is the beginning of a needle, and not all of it. */
export function longestOverlap(text: string, needles: readonly Needle[]): number {
  return needles.reduce((longest, needle) => Math.max(longest, overlap(text, needle)), 0);
}

function overlap(text: string, { exact, maxLength, characters }: Needle): number {
  if (exact !== null) return exactOverlap(text, exact);
  for (let at = Math.max(0, text.length - maxLength + 1); at < text.length; at++) {
    const isStart = characters[0]!.some((form) => form[0] === text[at]);
    if (isStart && endOf(text, at, characters) === "later") return text.length - at;
  }
  return 0;
}

function exactOverlap(text: string, exact: string): number {
  const last = text.at(-1);
  for (let length = Math.min(exact.length - 1, text.length); length > 0; length--) {
    if (exact[length - 1] === last && text.endsWith(exact.slice(0, length))) return length;
  }
  return 0;
}

/** Returns the first match that starts before `place` and ends after it. */
export function spanning(text: string, place: number, needle: Needle): Match | null {
  const part = text.slice(0, place + needle.maxLength);
  const from = Math.max(0, place - needle.maxLength);
  for (let match = findMatch(part, needle, from); match !== null; match = findMatch(part, needle, match.at + 1)) {
    if (match.at >= place) return null;
    if (match.end > place) return match;
  }
  return null;
}
