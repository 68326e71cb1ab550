import { expect, test } from "vitest";
import { Turns } from "./turns.js";

test("at most so many calls run at the same time, in order, also after a failure", async () => {
  const turns = new Turns(2);
  const started: number[] = [];
  const finish: (() => void)[] = [];
  const call = (n: number) =>
    turns.run(() => {
      started.push(n);
      return new Promise<number>((resolve, reject) => {
        finish[n] = n === 0 ? () => reject(new Error("lost")) : () => resolve(n);
      });
    });
  const calls = [0, 1, 2, 3].map(call);
  const outcomes = Promise.allSettled(calls);
  expect(started).toEqual([0, 1]);
  for (const n of [0, 1, 2, 3]) {
    await expect.poll(() => finish[n]).toBeDefined();
    finish[n]!();
  }
  expect((await outcomes).map(({ status }) => status)).toEqual(["rejected", "fulfilled", "fulfilled", "fulfilled"]);
  await turns.idle();
  expect(started).toEqual([0, 1, 2, 3]);
});
