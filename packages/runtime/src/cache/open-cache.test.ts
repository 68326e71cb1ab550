// @module-tag H-21
import { expect, test } from "vitest";
import { checkCacheSettings, openCache, type CacheSettings } from "./open-cache.js";

const parts = { onUnavailable: () => {} };

test.each([
  [{ url: "redis" }, "cache.url: must be memory:"],
  [{ url: "redis://" }, "cache.url"],
  [{ url: "http://user:secret@host" }, "cache.url: must be memory:"],
  [{ maxBytes: 0 }, "cache.maxBytes: must be a whole number above 0, not 0."],
  [{ ttlSeconds: 1.5 }, "cache.ttlSeconds"],
  [{ timeoutMs: Number.NaN }, "cache.timeoutMs"],
  [{ prefix: "a b" }, "cache.prefix"],
  [{ prefix: "x".repeat(101) }, "cache.prefix"],
] satisfies [CacheSettings, string][])("%j is refused", async (settings, message) => {
  await expect(openCache(settings, parts)).rejects.toThrow(message);
  expect(() => checkCacheSettings(settings)).not.toThrow("secret");
});

test("the default is a cache in the process", async () => {
  expect(await openCache({}, parts)).toMatchObject({ name: "memory", isShared: false });
  expect(await openCache({ url: "none:" }, parts)).toBeNull();
});

test("a server that is not there fails when it is used, and not when the cache is opened", async () => {
  for (const url of ["redis://127.0.0.1:1", "memcached://127.0.0.1:1"]) {
    const errors: unknown[] = [];
    const cache = await openCache({ url, timeoutMs: 60_000 }, { onUnavailable: (error) => errors.push(error) });
    for (let round = 0; round < 5; round++) await expect(cache!.get("key")).rejects.toThrow(Error);
    expect(errors).toHaveLength(1);
    await cache!.close();
  }
});
