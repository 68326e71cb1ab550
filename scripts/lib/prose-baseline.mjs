/**
 * The baseline holds, per file, how many phrases it may still contain. Counts may only fall.
 * @typedef {Record<string, number>} Counts by file
 */

/**
 * A file that moved is not in the baseline. It may use the allowance of files that no longer exist.
 * @param {Counts} counts
 * @param {Counts} baseline
 * @param {(file: string) => boolean} exists
 * @returns {{ risen: string[], fallen: number }} files above their allowance, and phrases that the baseline need not allow
 */
export function judge(counts, baseline, exists) {
  const unused = sum(Object.entries(baseline).filter(([file]) => !exists(file)));
  const moved = Object.entries(counts).filter(([file]) => baseline[file] === undefined);
  const kept = Object.entries(counts).filter(([file]) => baseline[file] !== undefined);
  const risen = kept.filter(([file, count]) => count > (baseline[file] ?? 0)).map(([file]) => file);
  if (sum(moved) > unused) risen.push(...moved.map(([file]) => file));
  const fallen = Math.max(0, sum(Object.entries(baseline)) - sum(Object.entries(counts)));
  return { risen, fallen };
}

/** @param {Counts} counts @returns {Counts} without zeros, sorted by file */
export const sorted = (counts) =>
  Object.fromEntries(
    Object.entries(counts)
      .filter(([, count]) => count > 0)
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );

/** @param {readonly (readonly [string, number])[]} entries */
const sum = (entries) => entries.reduce((total, [, count]) => total + count, 0);
