// @module-tag E-22
/** C1: a checkpoint leads to the same decisions as the log it was folded from, and is small. */
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import type { Json } from "@runledger/contracts";
import { numbered, RUN_ID, type Draft } from "@runledger/test-support/given";
import { CompletedSteps } from "../fold/completed-steps.js";
import {
  compact,
  compilePlan,
  decide,
  evolve,
  evolveAll,
  fromCheckpoint,
  initialState,
  toCheckpoint,
  type RunState,
} from "../index.js";

const ITEMS = 12;
const leaf = (id: string, more = {}) => ({ id, kind: "function", ...more });
const plan = compilePlan({
  id: "wide",
  version: "1",
  body: {
    steps: [
      {
        id: "each",
        kind: "forEach",
        bodies: [
          {
            steps: [
              leaf("one", { retry: { attempts: 3 } }),
              leaf("two", { after: ["each/one"] }),
              leaf("undo", { compensate: true }),
            ],
          },
        ],
      },
      {
        id: "flat",
        kind: "forEach",
        concurrency: 2,
        bodies: [{ steps: [leaf("one"), leaf("two", { after: ["flat/one"] })] }],
      },
      { id: "poll", kind: "repeat", max: ITEMS, delay: "1s", bodies: [{ steps: [leaf("one")] }] },
      leaf("end", { after: ["each", "flat", "poll"] }),
    ],
  },
});

const begin: Draft[] = [
  { eventType: "RunStarted" },
  { eventType: "StepStarted", stepId: "each", data: { opened: { count: ITEMS } } },
  { eventType: "StepStarted", stepId: "flat", data: { opened: { count: ITEMS } } },
  { eventType: "StepStarted", stepId: "poll" },
];
const stepEvent: fc.Arbitrary<Draft> = fc
  .record({
    item: fc.nat({ max: ITEMS - 1 }),
    step: fc.constantFrom(
      "each/#/one",
      "each/#/two",
      "each/#/undo",
      "flat/#/one",
      "flat/#/two",
      "poll/#/one",
      "poll/#",
    ),
    type: fc.constantFrom("StepStarted", "StepCompleted", "StepCompleted", "StepCompleted", "StepFailed"),
    attempt: fc.constantFrom("1", "1", "1", "2"),
    data: fc.constantFrom<Json[]>({}, { again: true }, { again: false }, { artifacts: [{ uri: "s3://1", kind: "k" }] }),
  })
  .map(({ item, step, type, attempt, data }) => ({
    eventType: type,
    stepId: step.replace("#", String(item)),
    attempt,
    data,
  }));
const interruption: fc.Arbitrary<Draft> = fc.constantFrom(
  { eventType: "StepsReset", data: { steps: [{ container: "each", from: 0, to: 3, step: "one" }] } },
  { eventType: "StepsReset", data: { steps: [{ container: "flat", from: 2, to: 4, step: "two" }] } },
  { eventType: "StepsReset", data: { steps: ["poll/2", "poll/2/one"] } },
  { eventType: "SignalAccepted", attempt: "c", data: { namespace: "action", name: "CANCEL" } },
  { eventType: "SignalAccepted", attempt: "s", data: { namespace: "signal", name: "go" } },
);
const history = fc
  .array(fc.oneof({ weight: 12, arbitrary: stepEvent }, { weight: 1, arbitrary: interruption }), { maxLength: 60 })
  .map((drafts) => numbered([...begin, ...drafts]));

/** Ignores order: a compacted state does not record which step was named first. */
const said = (state: RunState): string[] =>
  decide(plan, state)
    .map((command) => JSON.stringify(command))
    .sort();
const resumed = (state: RunState): RunState => fromCheckpoint(toCheckpoint(compact(plan, state)))!;

test("C1: resuming from a checkpoint decides what a full replay decides, then and after any more events", () => {
  fc.assert(
    fc.property(history, fc.nat(), (events, cut) => {
      const at = cut % (events.length + 1);
      const state = evolveAll(initialState(RUN_ID), events.slice(0, at));
      let [full, short] = [state, resumed(state)];
      expect(said(short)).toEqual(said(full));
      for (const event of events.slice(at)) {
        [full, short] = [evolve(full, event), evolve(short, event)];
        expect(said(short)).toEqual(said(full));
      }
      expect(said(resumed(short))).toEqual(said(full));
    }),
  );
});

test("C1: every step stored in a range keeps its status and attempt", () => {
  fc.assert(
    fc.property(history, (events) => {
      const state = evolveAll(initialState(RUN_ID), events);
      const short = compact(plan, compact(plan, state));
      for (const { stepId, status, logicalAttemptId } of state.steps.rows()) {
        expect(short.steps.get(stepId)).toMatchObject({ stepId, status, logicalAttemptId });
      }
      expect(short.steps.rows()).toHaveLength(state.steps.rows().length);
    }),
  );
});

test("C1: a hundred thousand completed items are one range", () => {
  const drafts = Array.from({ length: 100_000 }, (_, i): Draft => ({
    eventType: "StepCompleted",
    stepId: `each/${i}/one`,
  }));
  const [first] = numbered([drafts[0]!]);
  const events = drafts.map(({ stepId }, index) => ({ ...first!, stepId: stepId!, runSeq: index + 1 }));
  const state = evolveAll(initialState(RUN_ID), events);
  const checkpoint = toCheckpoint(compact(plan, state));
  expect(checkpoint.seq).toBe(100_000);
  expect(checkpoint.data.length).toBeLessThan(1000);
  expect(fromCheckpoint(checkpoint)!.steps.get("each/77777/one")).toMatchObject({ status: "SUCCESS" });
});

test("C1: ten thousand passes of a repeat are one range", { tags: ["R-07"] }, () => {
  const [started, poll] = numbered([begin[0]!, { eventType: "StepStarted", stepId: "poll" }]);
  const [step, pass] = numbered([
    { eventType: "StepCompleted", stepId: "poll/0/one" },
    { eventType: "StepCompleted", stepId: "poll/0", data: { again: true } },
  ]);
  const passes = Array.from({ length: 10_000 }, (_, i) => [
    { ...step!, stepId: `poll/${i}/one`, runSeq: 2 * i + 3 },
    { ...pass!, stepId: `poll/${i}`, runSeq: 2 * i + 4 },
  ]).flat();
  const long = compilePlan({
    id: "poll",
    version: "1",
    body: {
      steps: [{ id: "poll", kind: "repeat", max: 20_000, delay: "1s", bodies: [{ steps: [leaf("one")] }] }],
    },
  });
  const state = evolveAll(initialState(RUN_ID), [started!, poll!, ...passes]);
  const checkpoint = toCheckpoint(compact(long, state));
  expect(checkpoint.format).toBe(2);
  expect(checkpoint.data.length).toBeLessThan(1500);
  expect(decide(long, fromCheckpoint(checkpoint)!)).toEqual(decide(long, state)); // with the delay after the last pass
  expect(fromCheckpoint(checkpoint)!.steps.get("poll/7")).toMatchObject({ status: "SUCCESS", again: true });
});

test("C1: resuming after a hundred thousand items reads none of them", () => {
  const flat = { id: "flat", kind: "forEach", concurrency: 2, bodies: [{ steps: [leaf("one")] }] };
  const wide = compilePlan({ id: "flat", version: "1", body: { steps: [flat] } });
  const opened: Draft = { eventType: "StepStarted", stepId: "flat", data: { opened: { count: 200_000 } } };
  const [started, container, item] = numbered([
    begin[0]!,
    opened,
    { eventType: "StepCompleted", stepId: "flat/0/one" },
  ]);
  const items = Array.from({ length: 100_000 }, (_, i) => ({ ...item!, stepId: `flat/${i}/one`, runSeq: i + 3 }));
  const state = compact(wide, evolveAll(initialState(RUN_ID), [started!, container!, ...items]));
  const get = vi.spyOn(state.steps, "get");
  const next = decide(wide, state).map((command) => "stepId" in command && command.stepId);
  expect(next).toEqual(["flat/100000/one", "flat/100001/one"]);
  expect(get.mock.calls.length).toBeLessThan(10);
});

test("C1: a container inside a pass keeps what its closure returned", () => {
  const inner = "each/0/inner";
  const drafts = [
    ...begin,
    { eventType: "StepStarted", stepId: inner, data: { opened: { count: 2 } } },
    { eventType: "StepCompleted", stepId: inner },
  ];
  const state = evolveAll(initialState(RUN_ID), numbered(drafts));
  expect(resumed(state).steps.get(inner)).toEqual(state.steps.get(inner));
});

test("C3: a corrupt checkpoint, and one of another format, cannot be used", () => {
  const good = toCheckpoint(evolveAll(initialState(RUN_ID), numbered(begin)));
  expect(fromCheckpoint(good)).not.toBeNull();
  expect(fromCheckpoint({ ...good, data: good.data.replace("RUNNING", "PENDING") })).toBeNull();
  expect(fromCheckpoint({ ...good, format: 3 })).toBeNull();
});

test("a step that is in no pass, or in none of the ranges, is not among the completed", () => {
  const completed = new CompletedSteps(
    new Map([
      [
        "each/#/one",
        [
          [0, 3],
          [7, 9],
        ] as const,
      ],
    ]),
  );
  expect(["each/0/one", "each/8/one"].map((id) => completed.get(id)?.status)).toEqual(["SUCCESS", "SUCCESS"]);
  for (const id of ["each", "each/5/one", "each/10/one", "each/x/one", "other/1/one"])
    expect(completed.get(id)).toBeUndefined();
});

test("steps that have something else to be remembered by leave the ranges they were in", () => {
  const completed = new CompletedSteps(new Map([["each/#/one", [[0, 9] as const]]]));
  const rest = completed.without(["each/4/one", "each/0/one", "each/20/one", "other/1/one", "each"]);
  expect(rest.groups()).toEqual([
    [
      "each/#/one",
      [
        [1, 3],
        [5, 9],
      ],
    ],
  ]);
});

test("C1, K4: an item that is reset is run again, although it is in a range of those that succeeded", () => {
  const items = Array.from({ length: ITEMS }, (_, item): Draft[] => [
    { eventType: "StepCompleted", stepId: `flat/${item}/one` },
    { eventType: "StepCompleted", stepId: `flat/${item}/two` },
  ]).flat();
  const reset: Draft = { eventType: "StepsReset", data: { steps: ["flat/3/two"] } };
  const events = numbered([...begin, ...items, reset]);
  const before = compact(plan, evolveAll(initialState(RUN_ID), events.slice(0, -1)));
  const after = evolve(before, events.at(-1)!);
  expect(said(after)).toContainEqual(expect.stringContaining(`"stepId":"flat/3/two"`));
  expect(said(after)).toEqual(said(evolveAll(initialState(RUN_ID), events)));
});
