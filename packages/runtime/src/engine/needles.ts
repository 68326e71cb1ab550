/** The texts that the redactor searches for. */
export interface Needle {
  readonly text: string;
  readonly instead: string;
  /** `true` if the name is a guess, because no step has resolved the secret yet. */
  readonly isGuess: boolean;
}

/** Fewer characters than this at the end of a text are not taken for the beginning of a secret. */
export const MIN_BEGINNING = 4;

/** The needles are sorted by length, the longest first. */
export function replaced(text: string, needles: readonly Needle[]): string {
  return needles.reduce((rest, needle) => rest.replaceAll(needle.text, needle.instead), text);
}

/** Returns the length of the longest suffix of `text` that is the beginning of a needle, and not all of it. */
export function longestOverlap(text: string, needles: readonly Needle[]): number {
  return needles.reduce((longest, needle) => Math.max(longest, overlap(text, needle.text)), 0);
}

function overlap(text: string, needle: string): number {
  const last = text.at(-1);
  for (let length = Math.min(needle.length - 1, text.length); length > 0; length--) {
    if (needle[length - 1] === last && text.endsWith(needle.slice(0, length))) return length;
  }
  return 0;
}
