import { OutcomeUnknownError } from "@runledger/contracts";
import { expect, test } from "vitest";
import { PollLoop } from "./poll-loop.js";
import { retry, retryUntilAborted } from "./retry.js";
import type { Timers } from "./timers.js";

/** Timers that record the delays and elapse them immediately. */
function instantTimers(): { readonly timers: Timers; readonly delays: number[] } {
  const delays: number[] = [];
  const after = (ms: number, run: () => void): (() => void) => {
    delays.push(ms);
    let isCancelled = false;
    queueMicrotask(() => isCancelled || run());
    return () => void (isCancelled = true);
  };
  return { timers: { now: () => 0, after }, delays };
}

test("a loop waits as long as each round says, and reports faults but not an unavailable store", async () => {
  const { timers, delays } = instantTimers();
  const faults: unknown[] = [];
  const bug = new Error("a bug");
  const rounds = [
    async () => "again" as const,
    async () => 7,
    async () => Promise.reject(new OutcomeUnknownError()),
    async () => Promise.reject(bug),
    async () => undefined,
  ];
  let done = 0;
  const loop = new PollLoop({
    timers,
    everyMs: 100,
    round: () => rounds[done++]!(),
    isDone: () => done === rounds.length,
    onFault: (error) => void faults.push(error),
  });
  await loop.start().finished();
  expect(delays).toEqual([7, 100, 100]);
  expect(faults).toEqual([bug]);
});

test("notify() during a round starts the next one without a delay", async () => {
  const { timers, delays } = instantTimers();
  let rounds = 0;
  const loop: PollLoop = new PollLoop({
    timers,
    everyMs: 100,
    round: async () => {
      rounds++;
      loop.notify();
    },
    isDone: () => rounds === 3,
    onFault: () => {},
  });
  await loop.start().finished();
  expect(delays).toEqual([]);
});

test("the delays between retries double up to the longest", async () => {
  const { timers, delays } = instantTimers();
  let tries = 0;
  const action = async (): Promise<number> => (++tries < 6 ? Promise.reject(new OutcomeUnknownError()) : tries);
  expect(await retry(action, { timers, delayMs: 100, maxDelayMs: 500, shouldRetry: () => true })).toBe(6);
  expect(delays).toEqual([100, 200, 400, 500, 500]);
});

test("retries stop when the signal is aborted, and at an error that a retry cannot fix", async () => {
  const { timers, delays } = instantTimers();
  const controller = new AbortController();
  let tries = 0;
  const unavailable = retryUntilAborted(timers, controller.signal, async () => {
    if (++tries === 3) controller.abort();
    throw new OutcomeUnknownError();
  });
  await expect(unavailable).rejects.toBeInstanceOf(OutcomeUnknownError);
  const broken = retryUntilAborted(timers, controller.signal, () => Promise.reject(new TypeError("no")));
  await expect(broken).rejects.toBeInstanceOf(TypeError);
  expect(delays).toEqual([100, 100]);
});
