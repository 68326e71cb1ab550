/**
 * Two sides, measured in turn. The order changes from round to round and each ratio is taken within its round, so that
 * a machine that grows slower or busier meanwhile does so for both. A first round only warms up.
 *
 * @template {{ value: number }} M
 * @param {import("./suite.mjs").Bench} bench
 * @param {(round: number) => Promise<{ ours: () => Promise<M>, other: () => Promise<M> }>} prepare outside the clock
 * @returns {Promise<{ ratio: number, ours: M[], other: M[] }>}
 */
export async function alternate(bench, prepare) {
  /** @type {M[]} */
  const ours = [];
  /** @type {M[]} */
  const other = [];
  for (let round = -1; round < bench.rounds; round++) {
    const sides = await prepare(round);
    const results = round % 2 === 0 ? await inTurn(sides.other, sides.ours) : await inTurn(sides.ours, sides.other);
    const [mine, theirs] = round % 2 === 0 ? results.toReversed() : results;
    if (round < 0 || mine === undefined || theirs === undefined) continue;
    ours.push(mine);
    other.push(theirs);
    bench.say(`round ${round + 1}: ${compact(mine.value)} to ${compact(theirs.value)}`);
  }
  return { ratio: median(ours.map(({ value }, round) => value / (other[round]?.value ?? 0))), ours, other };
}

/**
 * @template M
 * @param {(() => Promise<M>)[]} work
 */
async function inTurn(...work) {
  /** @type {M[]} */
  const results = [];
  for (const each of work) results.push(await each());
  return results;
}

/** @param {readonly number[]} values */
export function median(values) {
  return quantile(values, 0.5);
}

/**
 * @param {readonly number[] | Float64Array} values
 * @param {number} q
 */
export function quantile(values, q) {
  const sorted = Float64Array.from(values).sort();
  const place = (sorted.length - 1) * q;
  const [below = 0, above = below] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
  return below + (above - below) * (place - Math.floor(place));
}

/**
 * Three digits are all that a measurement has.
 * @param {number} value
 */
export function compact(value) {
  if (value >= 1e6) return `${(value / 1e6).toPrecision(3)}M`;
  if (value >= 1e4) return `${(value / 1e3).toPrecision(3)}k`;
  return value >= 1e3 ? value.toFixed(0) : value.toPrecision(3);
}
