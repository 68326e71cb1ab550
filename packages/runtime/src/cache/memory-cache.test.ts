// @module-tag H-21
import { expect, test } from "vitest";
import { MemoryCache } from "./memory-cache.js";

const entry = (letter: string) => letter.repeat(400); // counts 1,000 bytes with its key

function cacheOf(maxBytes: number, clock = { now: () => 0 }) {
  return new MemoryCache({ maxBytes, ttlMs: 1000 }, clock);
}

async function fill(cache: MemoryCache, keys: readonly string[]) {
  for (const key of keys) await cache.set(key, entry(key));
}

async function kept(cache: MemoryCache, keys: readonly string[]) {
  const found: string[] = [];
  for (const key of keys) if ((await cache.get(key)) !== null) found.push(key);
  return found;
}

test("the least recently used entries are dropped above the limit in bytes", async () => {
  const cache = cacheOf(3 * 1002);
  await fill(cache, ["a", "b", "c"]);
  await cache.get("a");
  await fill(cache, ["d"]);
  expect(await kept(cache, ["a", "b", "c", "d"])).toEqual(["a", "c", "d"]);
  expect(cache.bytes).toBe(3 * 1002);
});

test("a replaced entry counts once, and an entry above the limit is not kept", async () => {
  const cache = cacheOf(2500);
  for (let round = 0; round < 5; round++) await fill(cache, ["a"]);
  expect(cache.bytes).toBe(1002);
  await cache.set("a", "x".repeat(1200));
  expect([cache.bytes, await cache.get("a")]).toEqual([0, null]);
  await fill(cache, ["b"]);
  await cache.close();
  expect(cache.bytes).toBe(0);
});

test("many entries of different sizes never exceed the limit", async () => {
  const cache = cacheOf(50_000);
  for (let n = 0; n < 2000; n++) {
    await cache.set(`key ${n % 300}`, "x".repeat((n * 7919) % 5000));
    expect(cache.bytes).toBeLessThanOrEqual(50_000);
  }
});

test("an entry expires", async () => {
  const clock = { at: 0, now: () => clock.at };
  const cache = cacheOf(10_000, clock);
  await fill(cache, ["a"]);
  clock.at = 999;
  expect(await kept(cache, ["a"])).toEqual(["a"]);
  clock.at = 1000;
  expect(await kept(cache, ["a"])).toEqual([]);
  expect(cache.bytes).toBe(0);
});
