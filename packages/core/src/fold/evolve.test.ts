// @module-tag L-11
import { expect, test } from "vitest";
import { given, numbered, run, RUN_ID, step, stepOf, type Draft } from "@runledger/test-support/given";
import { evolve, evolveAll, initialState, toRunSnapshot } from "../index.js";

const failure = { error: { code: "BOOM", message: "it broke", retryable: true } };
const artifact = (uri: string) => ({ uri, kind: "log-bundle" });

test("a run without events is PENDING at seq 0", () => {
  expect(toRunSnapshot(initialState(RUN_ID))).toMatchObject({
    runId: RUN_ID,
    status: "PENDING",
    lastEventSeq: 0,
    steps: [],
  });
});

const statuses: readonly [Draft, string][] = [
  [run("Queued"), "PENDING"],
  [run("Approved"), "APPROVED"],
  [run("Started"), "RUNNING"],
  [run("Paused"), "PAUSED"],
  [run("Resumed"), "RUNNING"],
  [run("Completed"), "COMPLETED"],
  [run("Failed", failure), "FAILED"],
  [run("Cancelled"), "CANCELLED"],
];

test.each(statuses)("rule 3: $eventType sets the run's status", (event, status) => {
  given(run("Started"))
    .when(event)
    .then((after) => expect(after.status).toBe(status));
});

test("N4: RunQueued carries what the log alone must rebuild", () => {
  const data = {
    plan: { planId: "other", planVersion: "2.0.0" },
    logFormat: 1,
    input: { day: "x" },
    state: { rows: 0 },
    tenantId: "acme",
    projectId: "p",
    environmentId: "prod",
    runRequestId: "req-1",
    priority: 5,
    concurrencyKey: "orders",
    labels: { team: "data" },
    parent: { runId: "run-0", stepId: "child" },
    schedule: { scheduleId: "nightly", tick: "2026-11-14T00:00:00.000Z" },
    by: "ann",
  };
  const { plan, input: _, by: startedBy, ...kept } = data;
  expect(given(run("Queued", data)).snapshot).toMatchObject({ status: "PENDING", ...plan, ...kept, startedBy });
});

test("a header counts waiting steps by what they wait for, until they finish or are reset", () => {
  const wait = (stepId: string, waitsFor: string) => step(stepId, "Started", "1", { waitsFor });
  const all = given(run("Started"), wait("a", "signal go"), wait("b", "signal go"), wait("c", "timer"));
  expect(all.snapshot.waits).toEqual({ "signal go": 2, timer: 1 });
  all.when(step("a", "Completed"), step("c", "Failed", "1", failure)).then((after) => {
    expect(after.waits).toEqual({ "signal go": 1 });
    expect(after.steps.map(({ waitsFor }) => waitsFor)).toEqual([undefined, "signal go", undefined]);
  });
  all
    .when(run("TakenOver", { epoch: 2, stepsInFlight: ["a"] }), {
      eventType: "StepsReset",
      data: { steps: ["a", "b", "c"] },
    })
    .then((after) => expect(after).not.toHaveProperty("waits"));
});

test("N3: a RunQueued of another shape is read as far as it goes", () => {
  const { snapshot } = given(run("Queued", { plan: 3, tenantId: 7, labels: "no" }));
  expect(snapshot).toMatchObject({ status: "PENDING", planId: "nightly", planVersion: "1.2.0" });
  expect(snapshot).not.toHaveProperty("tenantId");
  expect(snapshot).not.toHaveProperty("labels");
  expect(given(run("Queued", null)).snapshot.status).toBe("PENDING");
});

test("rule 3: RunStarted records the engine's reference, the start and the deadline; a second start keeps the first time", () => {
  const first = run("Started", { deadlineAt: "2026-11-15T00:00:00.000Z" }, { engineRunRef: { workflowId: "wf" } });
  given(first)
    .when(run("Started"))
    .then((after, before) => {
      expect(before).toMatchObject({ engineRunRef: { workflowId: "wf" }, deadlineAt: "2026-11-15T00:00:00.000Z" });
      expect(after.startedAt).toBe(before.startedAt);
    });
});

test("rule 3: the end of a run records when, how long, the root cause or the output", () => {
  const failed = given(run("Started"), run("Failed", { ...failure, culprit: "load" })).snapshot;
  expect(failed).toMatchObject({ ...failure, culprit: "load", totalDurationMs: 1000 });
  const completed = given(run("Started"), run("Completed", { output: { rows: 3 } })).snapshot;
  expect(completed).toMatchObject({ output: { rows: 3 }, totalDurationMs: 1000 });
  expect(given(run("Completed", {})).snapshot).not.toHaveProperty("totalDurationMs");
});

test("clocks of two machines never make a negative duration", () => {
  const { snapshot } = given(run("Started"), run("Completed", {}, { at: "2026-11-13T00:00:00.000Z" }));
  expect(snapshot.totalDurationMs).toBe(0);
});

test("rule 3: RunCompleted aggregates the artifacts of the run and of all steps, each once", () => {
  const steps = [
    step("a", "Completed", "1", { artifacts: [artifact("s3://1"), artifact("s3://2")] }),
    step("b", "Completed", "1", { artifacts: [artifact("s3://2")] }),
  ];
  expect(given(...steps).snapshot.artifacts).toEqual([]);
  given(...steps)
    .when(run("Completed", { artifacts: [artifact("s3://0")] }))
    .then((after) => expect(after.artifacts.map(({ uri }) => uri)).toEqual(["s3://0", "s3://1", "s3://2"]));
});

test("rule 3: a step starts, completes with artifacts, fails with its error, is skipped with its culprit", () => {
  const started = stepOf(given(step("a", "Started", "1", {}, { engineAttemptId: "2" })).snapshot, "a");
  expect(started).toMatchObject({ status: "RUNNING", logicalAttemptId: "1", engineAttemptId: "2", artifacts: [] });
  const completed = given(
    step("a", "Started"),
    step("a", "Completed", "1", { artifacts: [artifact("s3://1")] }),
  ).snapshot;
  expect(stepOf(completed, "a")).toMatchObject({ status: "SUCCESS", artifacts: [artifact("s3://1")] });
  const failed = given(step("a", "Failed", "1", { ...failure, retryAt: "2026-11-15T00:00:00.000Z" })).snapshot;
  expect(stepOf(failed, "a")).toMatchObject({ status: "FAILED", ...failure, retryAt: "2026-11-15T00:00:00.000Z" });
  const skipped = given(step("a", "Skipped", "1", { reason: "UPSTREAM_FAILED", culprit: "z" })).snapshot;
  expect(stepOf(skipped, "a")).toMatchObject({ status: "SKIPPED", reason: "UPSTREAM_FAILED", culprit: "z" });
});

test("N3: an error of another shape is still an error", () => {
  const bare = given(step("a", "Failed", "1", {})).snapshot;
  expect(stepOf(bare, "a").error).toEqual({ code: "UNKNOWN", message: "", retryable: false });
});

test("rule 3: the counter of failed steps follows retries and resets", () => {
  const failed = [step("a", "Failed", "1", failure), step("b", "Failed", "1", failure)];
  expect(given(...failed).snapshot.failedSteps).toBe(2);
  given(...failed)
    .when(step("a", "Started", "2"), { eventType: "StepsReset", data: { steps: ["b"] } })
    .then((after) => expect(after.failedSteps).toBe(0));
});

test("F1: a repeated or older seq changes nothing, not even the object", () => {
  const events = numbered([run("Started"), step("a", "Started")]);
  const state = evolveAll(initialState(RUN_ID), events);
  expect(evolve(state, events[0]!)).toBe(state);
  expect(evolve(state, events[1]!)).toBe(state);
});

test("F2: a StepStarted that arrives after StepCompleted leaves the step SUCCESS and adds only its start time", () => {
  given(step("load", "Completed"))
    .when(step("load", "Started"))
    .then((after) => {
      expect(stepOf(after, "load").status).toBe("SUCCESS");
      expect(stepOf(after, "load").startedAt).toBeDefined();
    });
  given(step("load", "Started"), step("load", "Completed"))
    .when(step("load", "Started", "1", {}, { at: "2030-01-01T00:00:00.000Z" }), step("load", "Failed", "1", failure))
    .then((after, before) => expect(after.steps).toEqual(before.steps));
});

test("F2: an attempt that a later one has replaced changes nothing", () => {
  given(step("load", "Failed", "1", failure), step("load", "Started", "2"))
    .when(step("load", "Completed", "1"))
    .then((after, before) => expect(after.steps).toEqual(before.steps));
});

test("a new attempt starts clean", () => {
  given(step("load", "Failed", "1", { ...failure, retryAt: "2026-11-15T00:00:00.000Z" }))
    .when(step("load", "Started", "2"))
    .then((after) => {
      expect(stepOf(after, "load")).toMatchObject({ status: "RUNNING", logicalAttemptId: "2" });
      for (const gone of ["error", "retryAt", "completedAt"]) expect(stepOf(after, "load")).not.toHaveProperty(gone);
    });
});

test("attempts are compared as numbers; those of a foreign engine, by arrival", () => {
  given(step("load", "Started", "9"))
    .when(step("load", "Started", "10"))
    .then((after) => expect(stepOf(after, "load").logicalAttemptId).toBe("10"));
  const foreign = { ...numbered([step("load", "Started")])[0]!, logicalAttemptId: "first" };
  const later = { ...foreign, runSeq: 2, logicalAttemptId: "second", eventType: "StepCompleted" };
  const { steps } = toRunSnapshot(evolveAll(initialState(RUN_ID), [foreign, later]));
  expect(steps[0]).toMatchObject({ logicalAttemptId: "second", status: "SUCCESS" });
  const { logicalAttemptId: _, ...without } = foreign;
  expect(toRunSnapshot(evolve(initialState(RUN_ID), without)).steps[0]!.logicalAttemptId).toBe("1");
});

test("F3: after a terminal status events count but change nothing, except RunReopened", () => {
  given(run("Started"), step("a", "Started"), run("Completed"))
    .when(step("a", "Failed", "1", failure), run("Failed", failure), run("Started"))
    .then((after, before) => {
      expect(after).toMatchObject({ status: "COMPLETED", lastEventSeq: 6, steps: before.steps });
      expect(after.ordinals).toMatchObject({ RunFailed: 1, RunStarted: 2 });
    });
});

test("N4, K4: RunReopened waits again, forgets the end, and sends each listed step into its next attempt", () => {
  const ended = [run("Started"), step("a", "Failed", "2", failure), run("Failed", { ...failure, culprit: "a" })];
  const steps = [
    "a",
    "never-started",
    { container: "each", from: 0, to: 1, step: "one" },
    7,
    { container: "each" },
    { container: "e", step: "s", from: "0", to: 1 },
  ];
  given(...ended)
    .when(run("Reopened", { steps, deadlineAt: "2026-12-01T00:00:00.000Z" }))
    .then((after) => {
      expect(after).toMatchObject({
        status: "PENDING",
        failedSteps: 0,
        stepCount: 4,
        deadlineAt: "2026-12-01T00:00:00.000Z",
      });
      for (const gone of ["error", "culprit", "completedAt", "totalDurationMs"]) expect(after).not.toHaveProperty(gone);
      expect(stepOf(after, "a")).toMatchObject({ status: "PENDING", logicalAttemptId: "3", budgetFrom: 3 });
      expect(stepOf(after, "never-started")).toMatchObject({ status: "PENDING", logicalAttemptId: "2" });
      expect(after.steps.map(({ stepId }) => stepId)).toEqual(["a", "never-started", "each/0/one", "each/1/one"]);
    });
});

test("K4: a reset step keeps the start of its budget through its retries; a malformed list resets nothing", () => {
  given(step("a", "Failed", "1", failure), { eventType: "StepsReset", data: { steps: ["a"] } })
    .when(step("a", "Failed", "2", failure), step("a", "Started", "3"), {
      eventType: "StepsReset",
      attempt: "2",
      data: { steps: "a" },
    })
    .then((after) =>
      expect(stepOf(after, "a")).toMatchObject({ logicalAttemptId: "3", budgetFrom: 2, status: "RUNNING" }),
    );
});

test("N4, D5: RunTakenOver records the epoch and counts the take-overs of steps in flight", () => {
  const takenOver = (epoch: number): Draft =>
    run("TakenOver", { epoch, workerId: "w", stepsInFlight: ["a", "b", "unknown"] }, { attempt: String(epoch) });
  given(run("Started"), step("a", "Started"), step("b", "Completed"))
    .when(takenOver(2), takenOver(3), step("a", "Completed"))
    .then((after) => {
      expect(after).toMatchObject({ status: "RUNNING", leaseEpoch: 3 });
      expect(stepOf(after, "a")).toMatchObject({ takeOvers: 2, engineAttemptId: "3" });
      expect(stepOf(after, "b")).not.toHaveProperty("takeOvers");
    });
  expect(given(run("TakenOver", {})).snapshot).not.toHaveProperty("leaseEpoch");
});

test("signals are recorded and change only the watermark and the counts of limits", () => {
  given(run("Started"))
    .when({ eventType: "SignalAccepted", attempt: "sig-1" }, { eventType: "SignalRejected", attempt: "sig-2" })
    .then(({ recentSignals, ...after }, before) => {
      expect({ ...after, lastEventSeq: 1 }).toEqual(before);
      expect(recentSignals).toHaveLength(2);
    });
});

test("P9: signals and actions are counted apart, by the time at which they were stored", () => {
  const signal = {
    ...numbered([{ eventType: "SignalAccepted", data: { namespace: "signal", name: "go" } }])[0]!,
    runSeq: 2,
  };
  const action = { ...signal, runSeq: 3, eventData: { namespace: "action", name: "PAUSE" } };
  const stored = [signal, action].map((event, index) => ({ ...event, persistedAt: `2026-11-14T09:00:0${index}.000Z` }));
  const { details } = evolveAll(initialState("run"), stored);
  expect(details.recentSignals).toEqual(["2026-11-14T09:00:00.000Z"]);
  expect(details.recentActions).toEqual(["2026-11-14T09:00:01.000Z"]);
  const { persistedAt: _, ...foreign } = signal; // a log of another engine may lack the time
  expect(evolveAll(initialState("run"), [foreign]).details.recentSignals).toEqual([signal.emittedAt]);
});

test("F5: unknown types advance the watermark and are counted, nothing else", () => {
  given(run("Started"))
    .when({ eventType: "StepCorrected", stepId: "a" }, { eventType: "RunAnnotated" })
    .then((after, before) => {
      expect(after).toMatchObject({ status: before.status, steps: [], lastEventSeq: 3 });
      expect(after.ordinals).toEqual({ RunStarted: 1, RunAnnotated: 1 });
    });
});

test("K2: run-level events are counted by type", () => {
  const { snapshot } = given(run("Started"), run("Paused"), run("Resumed"), run("Paused", {}, { attempt: "2" }));
  expect(snapshot.ordinals).toEqual({ RunStarted: 1, RunPaused: 2, RunResumed: 1 });
});

test("D2: patches apply in order, only from the attempt that counted", () => {
  given(run("Queued", { state: { a: 1, deep: { x: 1, y: 2 } } }))
    .when(
      step("s", "Completed", "1", { patch: { a: null, deep: { y: 3 }, b: [1] } }),
      step("s", "Completed", "1", { patch: { b: [2] } }),
      step("t", "Failed", "1", { ...failure, patch: { c: 1 } }),
    )
    .then((after) => expect(after.state).toEqual({ deep: { x: 1, y: 3 }, b: [1] }));
});

test("a foreign log's malformed events do not stop the fold", () => {
  const [started] = numbered([step("a", "Started")]);
  const { stepId: _, planVersion: __, ...nameless } = started!;
  const state = evolve(initialState(RUN_ID), { ...nameless, eventData: [1] });
  expect(toRunSnapshot(state)).toMatchObject({ lastEventSeq: 1, steps: [] });
  const { planId: ___, ...withoutPlanId } = started!;
  expect(toRunSnapshot(evolve(initialState(RUN_ID), withoutPlanId))).not.toHaveProperty("planId");
});

test("a fork records its origin and the steps it did not run itself", { tags: ["E-17"] }, () => {
  const fork = { runId: "run-0", seq: 12, from: "load" };
  given(run("Queued", { fork, plan: { planId: "nightly", planVersion: "1" }, logFormat: 1 }))
    .when(step("extract", "Completed", "1", { output: 1, kept: 5 }), step("load", "Completed", "1", { output: 2 }))
    .then((after) => {
      expect(after.fork).toEqual(fork);
      expect(after.steps.map(({ stepId, kept }) => [stepId, kept])).toEqual([
        ["extract", 5],
        ["load", undefined],
      ]);
    });
});

test("F5: a run whose events name no plan was created with the first of them", () => {
  const [first, second] = numbered([{ eventType: "SomethingElse" }, { eventType: "SomethingMore" }]);
  const foreign = [first!, second!].map(({ planId: _, planVersion: __, ...event }, at) => ({
    ...event,
    emittedAt: `2026-11-15T00:00:0${at}.000Z`,
  }));
  const state = foreign.reduce((before, event) => evolve(before, event as never), initialState(RUN_ID));
  expect(state.details.createdAt).toBe("2026-11-15T00:00:00.000Z");
});

test("K4: a reset creates no rows above a million steps, so that small events cannot fill a reader's memory", () => {
  const [started, reset] = numbered([step("a", "Failed", "1", failure), run("Started")], 1);
  const full = { ...evolve(initialState(RUN_ID), started!), stepCount: 1_000_000 };
  const after = evolve(full, { ...reset!, eventType: "StepsReset", eventData: { steps: ["a", "b"] } });
  expect(after.steps.get("a")).toMatchObject({ status: "PENDING", logicalAttemptId: "2" });
  expect([after.steps.get("b"), after.stepCount, after.lastEventSeq]).toEqual([undefined, 1_000_000, 2]);
});
