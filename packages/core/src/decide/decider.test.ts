// @module-tag E-23
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { omitUndefined, type CanonicalEngineEvent, type Json } from "@runledger/contracts";
import { toDraft } from "@runledger/test-support/decide";
import { numbered, RUN_ID, type Draft } from "@runledger/test-support/given";
import {
  compilePlan,
  decide,
  Decider,
  evolve,
  initialState,
  type Command,
  type Definition,
  type DefinitionStep,
  type RunState,
} from "../index.js";

const leaf = (id: string): DefinitionStep => ({ id, kind: "function" });

/** Small plans with every kind of step, nested containers, and steps that wait for the previous one. */
const steps = fc.letrec<{ body: DefinitionStep[]; step: DefinitionStep }>((tie) => ({
  body: fc
    .array(tie("step"), { minLength: 1, maxLength: 3 })
    .map((list) => list.map((step, index) => ({ ...step, id: `${step.id}${index}` }))),
  step: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    fc.constantFrom(
      leaf("run"),
      { ...leaf("try"), retry: { attempts: 2 } },
      { id: "wait", kind: "wait", signal: "go", timeout: "1m" as const },
      { id: "sleep", kind: "sleep", for: "1m" as const },
    ),
    fc.record({ body: tie("body"), concurrency: fc.constantFrom(undefined, 1, 2) }).map(({ body, concurrency }) => ({
      id: "each",
      kind: "forEach",
      bodies: [{ steps: body }],
      ...(concurrency && { concurrency }),
    })),
    tie("body").map((body) => ({ id: "when", kind: "when", bodies: [{ steps: body }] })),
    tie("body").map((body) => ({ id: "again", kind: "repeat", max: 3, bodies: [{ steps: body }] })),
  ),
}));
const definition = fc.tuple(steps.body, fc.boolean(), fc.boolean()).map(([body, chained, rooted]): Definition => {
  const linked = chained
    ? body.map((step, index) => (index === 0 ? step : { ...step, after: [body[index - 1]!.id] }))
    : body;
  const all = rooted ? [leaf("root"), ...linked.map((step) => ({ ...step, ...insideAfterRoot(step) }))] : linked;
  return { id: "generated", version: "1", body: { steps: all } };
});

/** A step inside a container waits for a step outside. */
function insideAfterRoot({ bodies }: DefinitionStep): Partial<DefinitionStep> {
  if (bodies === undefined) return {};
  const rooted = (step: DefinitionStep): DefinitionStep => ({ ...step, after: ["root"], ...insideAfterRoot(step) });
  return { bodies: bodies.map((body) => ({ steps: body.steps.map(rooted) })) };
}

/** Returns an event that could be recorded next if a worker executed the command. */
function outcome(command: Command, running: boolean, luck: number): Draft | null {
  if (command.type === "append") return toDraft(command.event);
  if (command.type === "open")
    return draftOf("StepStarted", command.stepId, command.attempt, { opened: { branch: luck % 2, count: luck % 4 } });
  if (command.type === "askAgain")
    return draftOf("StepCompleted", `${command.stepId}/${command.iteration}`, command.attempt, {
      again: luck % 2 === 0,
    });
  if (command.type !== "run") return null;
  if (!running) return draftOf("StepStarted", command.stepId, command.attempt);
  const failure = {
    error: { code: "E", message: "", retryable: true },
    ...(luck % 2 ? { retryAt: "2026-11-15T00:00:00.000Z" } : {}),
  };
  return luck % 5 === 0
    ? draftOf("StepFailed", command.stepId, command.attempt, failure)
    : draftOf("StepCompleted", command.stepId, command.attempt);
}

function draftOf(eventType: string, stepId: string | undefined, attempt: number | string, data: Json = {}): Draft {
  return { eventType, attempt: String(attempt), data, ...omitUndefined({ stepId }) };
}

const interruptions: Draft[] = [
  draftOf("SignalAccepted", undefined, "s", { namespace: "signal", name: "go" }),
  draftOf("RunPaused", undefined, 1),
  draftOf("RunResumed", undefined, 1),
  draftOf("StepsReset", undefined, 1, { steps: ["each0", "run0"] }),
  ...["RETRY_RUN", "SKIP_STEP", "TIMEOUT", "PAUSE", "RESUME"].map((name) =>
    draftOf("SignalAccepted", undefined, name, { namespace: "action", name, stepId: "each0" }),
  ),
];

/** An operator skips a failed step, possibly in a pass that is already done. */
function skipOfFailed(state: RunState): Draft | null {
  const row = state.steps.rows().find(({ stepId, status }) => status === "FAILED" && stepId.includes("/"));
  if (row === undefined) return null;
  return draftOf("StepSkipped", row.stepId, Number(row.logicalAttemptId) + 1, { reason: "OPERATOR" });
}

test("D4: a Decider returns the same commands as decide", () => {
  fc.assert(
    fc.property(definition, fc.array(fc.nat(), { minLength: 60, maxLength: 60 }), (generated, luck) => {
      const plan = compilePlan(generated);
      const decider = new Decider(plan);
      let state = evolve(initialState(RUN_ID), numbered([draftOf("RunStarted", undefined, 1)])[0]!);
      let said = decider.restart(state);
      for (const draw of luck) {
        const commands = decide(plan, state);
        expect(said).toEqual(commands);
        const command = commands[draw % (commands.length || 1)];
        const running =
          command !== undefined && "stepId" in command && state.steps.get(command.stepId)?.status === "RUNNING";
        const interruption = draw % 11 === 0 ? interruptions[draw % interruptions.length]! : null;
        const skip = draw % 7 === 0 ? skipOfFailed(state) : null;
        const next = interruption ?? skip ?? (command === undefined ? null : outcome(command, running, draw));
        if (next === null) continue;
        const event: CanonicalEngineEvent = numbered([next], state.lastEventSeq + 1)[0]!;
        state = evolve(state, event);
        said = decider.apply(state, [event]);
      }
    }),
    { numRuns: 300 },
  );
});

test("D4: a step that an operator skips in a pass that had failed no longer fails its container", () => {
  const each = { id: "each", kind: "forEach", concurrency: 1, bodies: [{ steps: [leaf("one")] }] };
  const plan = compilePlan({ id: "skipped", version: "1", body: { steps: [each] } });
  const error = { code: "E", message: "", retryable: false };
  const events = numbered([
    draftOf("RunStarted", undefined, 1),
    draftOf("StepStarted", "each", 1, { opened: { count: 2 } }),
    draftOf("StepStarted", "each/0/one", 1),
    draftOf("StepFailed", "each/0/one", 1, { error }),
    draftOf("StepStarted", "each/1/one", 1),
    draftOf("StepSkipped", "each/0/one", 2, { reason: "OPERATOR" }),
    draftOf("StepCompleted", "each/1/one", 1),
  ]);
  const decider = new Decider(plan);
  let state = initialState(RUN_ID);
  let said = decider.restart(state);
  for (const event of events) {
    state = evolve(state, event);
    said = decider.apply(state, [event]);
    expect(said).toEqual(decide(plan, state));
  }
  expect(said).toMatchObject([{ event: { eventType: "StepCompleted", stepId: "each" } }]);
});

test("D4: in a wide forEach, an event costs what it touches, not what there is", () => {
  const each = { id: "each", kind: "forEach", concurrency: 10_000, bodies: [{ steps: [leaf("one")] }] };
  const plan = compilePlan({ id: "wide", version: "1", body: { steps: [each] } });
  const events = numbered([
    draftOf("RunStarted", undefined, 1),
    draftOf("StepStarted", "each", 1, { opened: { count: 10_000 } }),
  ]);
  let state = events.reduce(evolve, initialState(RUN_ID));
  const decider = new Decider(plan);
  const before = decider.restart(state);
  expect(before).toHaveLength(10_000);
  const [event] = numbered([draftOf("StepStarted", "each/77/one", 1)], 3);
  state = evolve(state, event!);
  const get = vi.spyOn(state.steps, "get");
  expect(decider.apply(state, [event!])).toEqual(before);
  expect(get).toHaveBeenCalledTimes(2);
});

test("D4: unless it says otherwise, a forEach has a hundred passes open at a time", () => {
  const each = { id: "each", kind: "forEach", bodies: [{ steps: [leaf("one")] }] };
  const plan = compilePlan({ id: "wide", version: "1", body: { steps: [each] } });
  const opened = draftOf("StepStarted", "each", 1, { opened: { count: 1000 } });
  const events = numbered([draftOf("RunStarted", undefined, 1), opened]);
  expect(decide(plan, events.reduce(evolve, initialState(RUN_ID)))).toHaveLength(100);
});

test("D4: a step of an item that waits for one outside its forEach, at any depth, starts when that one is done", () => {
  const inner = {
    id: "inner",
    kind: "forEach",
    bodies: [{ steps: [{ ...leaf("deep"), after: ["outer/first", "a"] }] }],
  };
  const outer = { id: "outer", kind: "forEach", bodies: [{ steps: [leaf("first"), inner] }] };
  const plan = compilePlan({ id: "outside", version: "1", body: { steps: [leaf("a"), outer] } });
  const opened = { opened: { count: 2 } };
  const begun = numbered([
    draftOf("RunStarted", undefined, 1),
    draftOf("StepStarted", "outer", 1, opened),
    ...["a", "outer/0/first", "outer/1/first"].map((stepId) => draftOf("StepStarted", stepId, 1)),
    ...["outer/0/inner", "outer/1/inner"].map((stepId) => draftOf("StepStarted", stepId, 1, opened)),
  ]);
  let state = begun.reduce(evolve, initialState(RUN_ID));
  const decider = new Decider(plan);
  decider.restart(state);
  const happens = (eventType: string, stepId: string): readonly Command[] => {
    const events = numbered([draftOf(eventType, stepId, 1)], state.lastEventSeq + 1);
    state = events.reduce(evolve, state);
    return decider.apply(state, events).filter((command) => "stepId" in command && command.stepId.includes("deep"));
  };
  happens("StepCompleted", "a");
  expect(happens("StepCompleted", "outer/0/first")).toMatchObject([
    { type: "run", stepId: "outer/0/inner/0/deep" },
    { type: "run", stepId: "outer/0/inner/1/deep" },
  ]);
  expect(happens("StepCompleted", "outer/1/first").slice(2)).toMatchObject([
    { type: "run", stepId: "outer/1/inner/0/deep" },
    { type: "run", stepId: "outer/1/inner/1/deep" },
  ]);
});

test("D4: what happened while an action was answered is not forgotten", () => {
  const body = [leaf("one"), { ...leaf("two"), after: ["each/one"] }];
  const each = { id: "each", kind: "forEach", bodies: [{ steps: body }] };
  const plan = compilePlan({ id: "answered", version: "1", body: { steps: [each, leaf("other")] } });
  let state = numbered([
    draftOf("RunStarted", undefined, 1),
    draftOf("StepStarted", "each", 1, { opened: { count: 1 } }),
  ]).reduce(evolve, initialState(RUN_ID));
  const decider = new Decider(plan);
  decider.restart(state);
  const happen = (...drafts: Draft[]): readonly Command[] => {
    const events = numbered(drafts, state.lastEventSeq + 1);
    state = events.reduce(evolve, state);
    return decider.apply(state, events);
  };
  const skip = { namespace: "action", name: "SKIP_STEP", stepId: "other" };
  const answer = happen(draftOf("StepCompleted", "each/0/one", 1), draftOf("SignalAccepted", undefined, "k", skip));
  expect(answer).toMatchObject([{ event: { eventType: "StepSkipped", stepId: "other" } }]);
  const next = happen({ ...draftOf("StepSkipped", "other", 1), causedBySignalId: "k" });
  expect(next).toMatchObject([{ type: "run", stepId: "each/0/two" }]);
});

test("D4: a repeat's next pass costs the same, regardless of earlier passes", () => {
  const repeat = { id: "poll", kind: "repeat", max: 2000, bodies: [{ steps: [leaf("check")] }] };
  const plan = compilePlan({ id: "long", version: "1", body: { steps: [repeat] } });
  const decider = new Decider(plan);
  let state = initialState(RUN_ID);
  const reads: number[] = [];
  const happen = (...drafts: Draft[]): readonly Command[] => {
    const events = numbered(drafts, state.lastEventSeq + 1);
    state = events.reduce(evolve, state);
    const get = vi.spyOn(state.steps, "get");
    const commands = decider.apply(state, events);
    reads.push(get.mock.calls.length);
    return commands;
  };
  happen(draftOf("RunStarted", undefined, 1), draftOf("StepStarted", "poll", 1));
  for (let pass = 0; pass < 1000; pass++) {
    const commands = happen(
      draftOf("StepStarted", `poll/${pass}`, 1),
      draftOf("StepCompleted", `poll/${pass}/check`, 1),
      draftOf("StepCompleted", `poll/${pass}`, 1, { again: true }),
    );
    expect(commands).toMatchObject([{ event: { eventType: "StepStarted", stepId: `poll/${pass + 1}` } }]);
  }
  expect(reads.at(-1)).toBe(reads[2]);
});
