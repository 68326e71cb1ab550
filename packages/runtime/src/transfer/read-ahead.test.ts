import { expect, test } from "vitest";
import { readAhead } from "./read-ahead.js";

/** Yields 1 to 4 and logs each step; throws at `failAt`. */
async function* numbers(log: string[], most: number, failAt = Infinity): AsyncGenerator<number, void> {
  try {
    for (let number = 1; number <= most; number++) {
      if (number === failAt) throw new Error(`no ${number}`);
      log.push(`read ${number}`);
      yield number;
    }
  } finally {
    log.push("closed");
  }
}

const tick = () => new Promise((resolve) => setImmediate(resolve));

test("reads one item ahead and never more", async () => {
  const log: string[] = [];
  for await (const number of readAhead(numbers(log, 3))) {
    await tick();
    log.push(`done ${number}`);
  }
  expect(log).toEqual(["read 1", "read 2", "done 1", "read 3", "done 2", "closed", "done 3"]);
});

test("a read error surfaces at its item, after the items before it", async () => {
  const [log, done]: [string[], number[]] = [[], []];
  const all = (async () => {
    for await (const number of readAhead(numbers(log, 3, 2))) {
      await tick();
      done.push(number);
    }
  })();
  await expect(all).rejects.toThrow("no 2");
  expect(done).toEqual([1]);
});

test("stopping early leaves no read in flight", async () => {
  const log: string[] = [];
  for await (const _ of readAhead(numbers(log, 3))) break;
  expect(log).toEqual(["read 1", "read 2", "closed"]);
  for await (const _ of readAhead(numbers(log, 3, 2))) break;
  expect(log.slice(3)).toEqual(["read 1", "closed"]);
});
