/** Faults in an append, one per mutation. */
import {
  InputError,
  RunledgerError,
  SignalLimitError,
  StopError,
  type AppendOptions,
  type AppendResult,
  type JudgedAt,
} from "@runledger/contracts";
import type { Mutation } from "./mutant.js";

const eachResult =
  (change: (result: AppendResult, index: number) => AppendResult): NonNullable<Mutation["append"]> =>
  async (next, events, options) =>
    (await next(events, options)).map(change);

const without = (...names: readonly string[]): Mutation => ({
  append: (next, events, options = {}) =>
    next(events, Object.fromEntries(Object.entries(options).filter(([name]) => !names.includes(name)))),
});

/** Changes the conditions of verdicts. */
const judged = (change: (judgedAt: JudgedAt) => AppendOptions): Mutation => ({
  append: (next, events, { judgedAt, ...options } = {}) =>
    next(events, judgedAt === undefined ? options : { ...options, ...change(judgedAt) }),
});

function isEarly({ judgedAt }: AppendOptions): boolean {
  return judgedAt?.notBefore !== undefined && Date.parse(judgedAt.notBefore) > Date.now();
}

/** Returns `true` for every nth call. */
const everyNth = (n: number): (() => boolean) => {
  let calls = 0;
  return () => ++calls % n === 0;
};
const overtakes = everyNth(2);
const isLost = everyNth(3);

const answered = (count: number): AppendResult[] =>
  Array.from({ length: count }, (_, index) => ({ runSeq: index + 1, idempotent: false, persisted: true }));

export const appendMutations: Readonly<Record<string, Mutation>> = {
  "duplicates look new": { append: eachResult(({ runSeq }) => ({ runSeq, idempotent: false, persisted: true })) },
  "everything looks like a duplicate": {
    append: eachResult(({ runSeq }) => ({ runSeq, idempotent: true, persisted: false })),
  },
  "conflicts are not reported": {
    append: eachResult(({ runSeq, idempotent, persisted }) => ({ runSeq, idempotent, persisted })),
  },
  "every duplicate is a conflict": {
    append: eachResult((result) => (result.idempotent ? { ...result, conflict: true } : result)),
  },
  "answers are off by one": { append: eachResult((result) => ({ ...result, runSeq: result.runSeq + 1 })) },
  "a call is stored backwards": {
    append: async (next, events, options) => (await next(events.toReversed(), options)).toReversed(),
  },
  "a call is stored event by event": {
    append: async (next, events, options) => {
      const results: AppendResult[] = [];
      for (const event of events) results.push(...(await next([event], options)));
      return results;
    },
  },
  "later calls overtake": {
    append: async (next, events, options) => {
      if (overtakes()) await new Promise((resolve) => setImmediate(resolve));
      return next(events, options);
    },
  },
  "expectedSeq is ignored": without("expectedSeq"),
  "verdicts are not checked": without("judgedAt"),
  "a verdict expects the head": judged(({ seq }) => ({ expectedSeq: seq })),
  "a verdict ignores its step": judged(({ stepId: _, ...judgedAt }) => ({ judgedAt })),
  "a verdict ignores the time": judged(({ notBefore: _, ...judgedAt }) => ({ judgedAt })),
  "a verdict waits for the sender's clock": {
    append: (next, events, options = {}) =>
      isEarly(options) ? Promise.reject(new SignalLimitError(events[0]!.runId, "later")) : next(events, options),
  },
  "the fence is ignored": without("fence"),
  "mustExist is ignored": without("mustExist"),
  "checkpoints are dropped": without("checkpoint"),
  "the abort signal is ignored": without("signal"),
  "input is not checked": {
    append: (next, events, options) =>
      next(events, options).catch((error: unknown) => {
        if (error instanceof InputError && error.code !== "RUN_NOT_FOUND") return answered(events?.length ?? 0);
        throw error;
      }),
  },
  "bad input is a fault of the store": {
    append: (next, events, options) =>
      next(events, options).catch((error: unknown) => {
        if (error instanceof InputError) throw new StopError("STORE_FAULT", "The backend refused.");
        throw error;
      }),
  },
  "refusals are forgotten": {
    append: (next, events, options) =>
      next(events, options).catch((error: unknown) => {
        if (error instanceof RunledgerError && error.family === "stop") return answered(events.length);
        throw error;
      }),
  },
  "a refusal has no reason": {
    append: (next, events, options) =>
      next(events, options).catch((error: unknown) => {
        if (error instanceof RunledgerError) throw Object.assign(new Error(error.message), { code: "FAILED" });
        throw error;
      }),
  },
  "large calls are cut": {
    append: async (next, events, options) => {
      const results = await next(events.slice(0, 250), options);
      return [...results, ...answered(Math.max(0, events.length - 250))];
    },
  },
  "acknowledged before it is stored": {
    append: async (next, events, options) => {
      void next(events, options).catch(() => {});
      return answered(events.length);
    },
  },
  "a third of the calls is lost": {
    append: (next, events, options) => (isLost() ? Promise.resolve(answered(events.length)) : next(events, options)),
  },
  "an empty call is an error": {
    append: (next, events, options) =>
      events?.length === 0 ? Promise.reject(new Error("nothing to append")) : next(events, options),
  },
  "a run must start with RunStarted": {
    append: (next, events, options = {}) =>
      next(events, events?.[0]?.eventType === "StepStarted" ? { ...options, mustExist: true } : options),
  },
};
