import { isUnavailable } from "../time/retry.js";

/**
 * Works on items together. If that fails, works on each half, so that only items that fail by themselves are left. Returns
 * these with their errors. Throws if the store is unavailable.
 */
export async function failuresOf<T>(
  items: readonly T[],
  work: (items: readonly T[]) => Promise<void>,
): Promise<{ readonly item: T; readonly error: unknown }[]> {
  try {
    if (items.length > 0) await work(items);
    return [];
  } catch (error) {
    if (isUnavailable(error)) throw error;
    if (items.length === 1) return [{ item: items[0]!, error }];
    const half = items.length >> 1;
    return [...(await failuresOf(items.slice(0, half), work)), ...(await failuresOf(items.slice(half), work))];
  }
}
