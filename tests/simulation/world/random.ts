/** Reproducible random numbers: the same seed gives the same draws. */
export interface Random {
  /** From 0 (inclusive) to 1 (exclusive). */
  draw(): number;
  /** From 0 (inclusive) to `end` (exclusive). */
  below(end: number): number;
  /** A whole number, both ends inclusive. */
  between(least: number, most: number): number;
  /** `true` in this share of draws. */
  chance(share: number): boolean;
  pick<T>(values: readonly T[]): T;
}

/** mulberry32: small, fast, and good enough to choose a client's next action. */
export function random(seed: number): Random {
  let state = seed >>> 0;
  const draw = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (end: number): number => Math.floor(draw() * end);
  return {
    draw,
    below,
    between: (least, most) => least + below(most - least + 1),
    chance: (share) => draw() < share,
    pick: (values) => values[below(values.length)]!,
  };
}

/** Hashes a text to a number (FNV-1a). */
export function seedOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let place = 0; place < text.length; place++) hash = Math.imul(hash ^ text.charCodeAt(place), 0x01000193);
  return hash >>> 0;
}
