// @module-tag U-13
import type { Access } from "@runledger/contracts";
import { MemoryStore } from "@runledger/store-memory";
import { expect, onTestFinished, test, vi } from "vitest";
import { ApiKeys, createApiKey } from "./api-keys.js";

test("concurrent calls read their key once and record its use once", async () => {
  vi.useFakeTimers({ toFake: ["Date"] }); // keys are cached for two seconds
  onTestFinished(() => void vi.useRealTimers());
  const { access } = new MemoryStore();
  const wanted = { name: "ci", role: "viewer", tenantId: "acme", ttlMs: null, createdBy: "test" } as const;
  const { key, text } = await createApiKey(access, wanted);
  const asked: string[] = [];
  const counting: Access = {
    ...access,
    findKey: (keyId) => (asked.push("find"), access.findKey(keyId)),
    keyUsed: (keyId) => (asked.push("used"), access.keyUsed(keyId)),
  };
  const keys = new ApiKeys(counting, () => {});
  const wrong = text.slice(0, -4) + "AAAA";
  expect(await Promise.all([wrong, wrong].map((shown) => keys.check(shown)))).toEqual([null, null]);
  expect(asked).toEqual(["find"]);
  const checked = await Promise.all(Array.from({ length: 20 }, () => keys.check(text)));
  expect(checked.map((found) => found?.keyId)).toEqual(Array.from({ length: 20 }, () => key.keyId));
  expect(asked).toEqual(["find", "used"]);

  await access.revokeKey({ tenantId: "acme", keyId: key.keyId });
  keys.evict(key.keyId);
  expect(await Promise.all([text, text].map((shown) => keys.check(shown)))).toEqual([null, null]);
  expect(asked).toEqual(["find", "used", "find"]);
});
