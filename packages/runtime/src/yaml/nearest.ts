/** Returns the most similar word; `undefined` if none is similar. */
export function nearest(word: string, words: readonly string[]): string | undefined {
  const near = words.map((candidate) => ({ candidate, far: distance(candidate, word) }));
  const [best] = near.filter(({ far }) => far <= 2 && far < word.length / 2).sort((a, b) => a.far - b.far);
  return best?.candidate;
}

/** Levenshtein distance. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++) {
      next.push(Math.min(next[j]! + 1, row[j + 1]! + 1, row[j]! + (a[i] === b[j] ? 0 : 1)));
    }
    row = next;
  }
  return row.at(-1)!;
}
