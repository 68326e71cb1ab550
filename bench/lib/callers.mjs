import { compact, median, quantile } from "./rounds.mjs";

/** @typedef {{ value: number, events: number, latencies: Float64Array }} Throughput `value` is events per second */

/**
 * Many callers, each waiting for its answer before it calls again, until the items or the time run out.
 * @template T
 * @param {object} load
 * @param {number} load.callers
 * @param {readonly T[]} load.items
 * @param {number} load.forMs
 * @param {(item: T, index: number) => Promise<number>} load.call gives the number of events that it stored
 * @returns {Promise<Throughput>}
 */
export async function drive({ callers, items, forMs, call }) {
  const latencies = new Float64Array(items.length);
  let next = 0;
  let answered = 0;
  let events = 0;
  const start = performance.now();
  const caller = async () => {
    for (let now = performance.now(); next < items.length && now - start < forMs;) {
      const [index, sent] = [next++, now];
      const stored = await call(/** @type {T} */ (items[index]), index);
      events += stored;
      now = performance.now();
      latencies[answered++] = now - sent;
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  const seconds = (performance.now() - start) / 1000;
  return { value: events / seconds, events, latencies: latencies.subarray(0, answered) };
}

/**
 * @param {string} who
 * @param {readonly Throughput[]} rounds
 */
export function describe(who, rounds) {
  const rate = compact(median(rounds.map(({ value }) => value)));
  return `${who} ${rate} events/s, ${latency(rounds)}`;
}

/** @param {readonly { latencies: Float64Array }[]} rounds */
export function latency(rounds) {
  const at = (/** @type {number} */ q) => median(rounds.map(({ latencies }) => quantile(latencies, q))).toFixed(2);
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`;
}
