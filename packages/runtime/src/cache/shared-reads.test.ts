// @module-tag H-21
import { expect, test } from "vitest";
import { SharedReads } from "./shared-reads.js";

/** Reads that finish when the test finishes them. */
function heldReads() {
  const sent: { readonly ids: readonly string[]; readonly finish: (error?: Error) => void }[] = [];
  const reads = new SharedReads<string>(
    (ids) =>
      new Promise((resolve, reject) => {
        const found = new Map(ids.filter((id) => id !== "absent").map((id) => [id, `${id} of read ${sent.length}`]));
        sent.push({ ids, finish: (error) => (error === undefined ? resolve(found) : reject(error)) });
      }),
  );
  return { sent, reads };
}

test("calls that arrive during reads share the next one, and never one that has started", async () => {
  const { sent, reads } = heldReads();
  const first = [reads.get("a"), reads.get("a")];
  const later = ["a", "b", "a", "absent"].map((id) => reads.get(id));
  expect(sent.map(({ ids }) => ids)).toEqual([["a"], ["a"]]);
  sent[0]!.finish();
  expect(await first[0]).toBe("a of read 0");
  sent[1]!.finish();
  expect(await first[1]).toBe("a of read 1");
  expect(sent.map(({ ids }) => ids)).toEqual([["a"], ["a"], ["a", "b", "absent"]]);
  sent[2]!.finish();
  expect(await Promise.all(later)).toEqual(["a of read 2", "b of read 2", "a of read 2", undefined]);
});

test("a failed read fails its own callers only", async () => {
  const { sent, reads } = heldReads();
  const calls = [reads.get("a"), reads.get("b"), reads.get("c")];
  sent[0]!.finish(new Error("lost"));
  await expect(calls[0]).rejects.toThrow("lost");
  sent[1]!.finish();
  expect(await calls[1]).toBe("b of read 1");
  sent[2]!.finish();
  expect(await calls[2]).toBe("c of read 2");
});
