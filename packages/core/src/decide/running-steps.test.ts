// @module-tag E-10
/** Waits, sleeps, children, and the timeout of a container. */
import { describe, expect, test } from "vitest";
import {
  action,
  broke,
  done,
  planOf,
  ran,
  running,
  signal,
  started,
  timeOf,
  work,
} from "@runledger/test-support/decide";
import { run } from "@runledger/test-support/given";
import type { DefinitionStep } from "../index.js";

const wait = (id: string, more: Partial<DefinitionStep> = {}): DefinitionStep => ({
  id,
  kind: "wait",
  signal: "release",
  ...more,
});

describe("a wait", () => {
  const plan = planOf([wait("first"), wait("second"), work("next", { needs: { first: "first" } })]);
  const both = [started("first"), started("second")];

  test("G1: takes the oldest signal of its name; two waits never the same one", { tags: ["E-21"] }, () => {
    running(plan, both, signal("release", "s1")).decides('append StepCompleted first#1 {"signalId":"s1"} by s1');
    running(plan, both, signal("release", "s1"), signal("release", "s2")).decides(
      'append StepCompleted first#1 {"signalId":"s1"} by s1',
      'append StepCompleted second#1 {"signalId":"s2"} by s2',
    );
  });

  test(
    "G1: a signal that comes before its wait is kept for it; one of another name is not taken",
    { tags: ["E-16"] },
    () => {
      running(plan, signal("other", "s0"), signal("release", "s1"), started("first")).decides(
        'append StepCompleted first#1 {"signalId":"s1"} by s1',
        'append StepStarted second#1 {"waitsFor":"signal release"}',
      );
    },
  );

  test("a signal that was taken is gone", { tags: ["E-16"] }, () => {
    const taken = running(plan, both, signal("release", "s1"), { ...done("first"), causedBySignalId: "s1" });
    taken.decides("run next#1");
    expect(taken.state.details.signals).toBeUndefined();
  });

  test("without a timeout it waits forever", { tags: ["E-01"] }, () => {
    running(planOf([wait("first")]), started("first")).decides();
  });

  test("after its timeout it fails, or continues with null", { tags: ["E-01"] }, () => {
    const at = timeOf(2, 60_000);
    const error =
      '{"error":{"code":"TIMEOUT","message":"Signal release did not arrive within 1m. Send it earlier or raise \\"timeout\\".","retryable":false}}';
    running(planOf([wait("first", { timeout: "1m" })]), started("first")).decides(
      `append StepFailed first#1 ${error} at ${at}`,
    );
    running(planOf([wait("first", { timeout: "1m", onTimeout: "continue" })]), started("first")).decides(
      `append StepCompleted first#1 {"output":null} at ${at}`,
    );
  });

  test("a signal that is there goes before a time that has passed", { tags: ["E-21"] }, () => {
    running(planOf([wait("first", { timeout: "1ms" })]), started("first"), signal("release", "s1")).decides(
      'append StepCompleted first#1 {"signalId":"s1"} by s1',
    );
  });

  test("D8: PAUSE holds back no signal and no time, only what comes after them", { tags: ["E-11"] }, () => {
    const paused = running(plan, both, run("Paused"), signal("release", "s1"));
    paused.decides('append StepCompleted first#1 {"signalId":"s1"} by s1');
    paused.settled().decides();
  });

  test("items that wait for one name get the signals in the order of the items", { tags: ["E-12"] }, () => {
    const each = planOf([{ id: "each", kind: "forEach", bodies: [{ steps: [wait("ok")] }] }]);
    const open = running(each, started("each", { count: 2 }), started("each/1/ok"), started("each/0/ok"));
    open.and(signal("release", "s1")).decides('append StepCompleted each/0/ok#1 {"signalId":"s1"} by s1');
  });
});

describe("a sleep", () => {
  test("for a while ends that long after its start", { tags: ["E-01"] }, () => {
    const plan = planOf([{ id: "nap", kind: "sleep", for: "1h" }]);
    running(plan).decides('append StepStarted nap#1 {"waitsFor":"timer"}');
    running(plan, started("nap")).decides(`append StepCompleted nap#1 {"output":null} at ${timeOf(2, 3_600_000)}`);
  });

  test(
    "D1: until a time asks its closure once, and holds to what it said even when it is reset",
    { tags: ["E-12"] },
    () => {
      const plan = planOf([{ id: "nap", kind: "sleep" }]);
      const until = "2026-12-01T00:00:00.000Z";
      running(plan).decides("open nap#1");
      const asleep = running(plan, started("nap", { until }));
      asleep.decides(`append StepCompleted nap#1 {"output":null} at ${until}`);
      asleep
        .and(broke("nap"), { eventType: "StepsReset", data: { steps: ["nap"] } })
        .decides(`append StepStarted nap#2 {"opened":{"until":"${until}"},"waitsFor":"timer"}`);
    },
  );
});

describe("a child", () => {
  const plan = planOf([
    { id: "bill", kind: "child", child: { planId: "billing", planVersion: "1" }, retry: { attempts: 2 } },
    work("next", { needs: { bill: "bill" } }),
  ]);
  const begun = running(plan, started("bill", { childRunId: "run-c" }));

  test("is started by its step, and awaited", { tags: ["E-14"] }, () => {
    running(plan).decides("open bill#1");
    begun.decides("awaitChild run-c of bill#1");
    begun.and(done("bill")).decides("run next#1");
  });

  test("D9: a policy retry starts another child", { tags: ["E-14"] }, () => {
    begun.and(broke("bill", { retryAt: timeOf(9) })).decides(`open bill#2 at ${timeOf(9)}`);
  });

  test("D9: and so does an operator's", { tags: ["E-14"] }, () => {
    begun.and(broke("bill"), { eventType: "StepsReset", data: { steps: ["bill"] } }).decides("open bill#2");
  });
});

describe("the time that a container or a child may take", () => {
  const each = planOf([
    {
      id: "each",
      kind: "forEach",
      timeout: "1m",
      bodies: [{ steps: [work("one"), wait("ok", { after: ["each/one"] })] }],
    },
    work("next", { after: ["each"] }),
  ]);
  const open = running(each, started("each", { count: 2 }), ran("each/0/one"), started("each/0/ok"));
  const timedOut = open.and(action("TIMEOUT", "t", "each"));

  test("D3: is over by an action of the system's own, due at the recorded time", () => {
    const [timeout] = open.commands;
    expect(timeout).toMatchObject({
      type: "append",
      notBefore: timeOf(2, 60_000),
      event: { eventType: "SignalAccepted", data: { namespace: "action", name: "TIMEOUT", stepId: "each" } },
    });
    expect(open.commands).toEqual(open.and(run("Paused")).and(run("Resumed")).commands);
  });

  test("its id differs by step and attempt, and fits for ids of any length", () => {
    const id = "x".repeat(100);
    const plan = planOf([{ id, kind: "sleep", for: "1h", timeout: "1m" }]);
    const idOf = (attempt: number) => {
      const [command] = running(plan, started(id, undefined, attempt)).commands;
      return command?.type === "append" ? String(command.event.attempt) : "";
    };
    expect(idOf(1)).toMatch(/^timeout-[0-9a-f]{32}$/);
    expect(idOf(1)).not.toBe(idOf(2));
  });

  test("D8: steps inside are stopped first, then it fails; the rest of the run continues", () => {
    const stopped =
      '{"error":{"code":"CANCELLED","message":"The step was stopped before it finished.","retryable":false}}';
    const late =
      '{"error":{"code":"TIMEOUT","message":"Step timed out after 1m. Raise \\"timeout\\" or make the step shorter.","retryable":false}}';
    const busy = timedOut.and(started("each/1/one"));
    busy.decides(`append StepFailed each/0/ok#1 ${stopped}`, "abort each/1/one#1");
    busy
      .and(broke("each/0/ok"), broke("each/1/one"))
      .decides(`append StepFailed each#1 ${late} by t`)
      .and({ ...broke("each"), causedBySignalId: "t" })
      .decides('append StepSkipped next#1 {"reason":"UPSTREAM_FAILED","culprit":"each"}');
  });

  test("a time-out that comes with the end itself is forgotten with it", () => {
    const over = timedOut.and(done("each"));
    expect(over.state.details.actions).toBeUndefined();
    over.decides("run next#1");
  });

  test("D9: of a child cancels it, and the step ends as the child does", { tags: ["E-14"] }, () => {
    const plan = planOf([
      { id: "bill", kind: "child", child: { planId: "billing", planVersion: "1" }, timeout: "1m" },
      work("other"),
    ]);
    running(plan, started("bill", { childRunId: "run-c" }), action("TIMEOUT", "t", "bill")).decides(
      "cancelChild run-c",
      "awaitChild run-c of bill#1",
      "run other#1",
    );
  });

  test("of a sleep", () => {
    const plan = planOf([{ id: "nap", kind: "sleep", for: "1h", timeout: "1m" }]);
    expect(running(plan, started("nap"), action("TIMEOUT", "t", "nap")).commands).toMatchObject([
      { event: { eventType: "StepFailed", stepId: "nap", causedBySignalId: "t" } },
    ]);
  });
});
