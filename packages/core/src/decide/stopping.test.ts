// @module-tag E-11
/** CANCEL and the deadline: running steps stop, completed steps are compensated, then the run ends (D8). */
import { describe, expect, test } from "vitest";
import {
  action,
  after,
  broke,
  done,
  planOf,
  ran,
  reset,
  running,
  started,
  timeOf,
  work,
} from "@runledger/test-support/decide";
import { run } from "@runledger/test-support/given";

const cancel = action("CANCEL", "c");
const cancelled = "append RunCancelled#1 by c at the head";
const stopped = '{"error":{"code":"CANCELLED","message":"The step was stopped before it finished.","retryable":false}}';

describe("what runs", () => {
  test("D8: is aborted and awaited; nothing new starts", () => {
    const plan = planOf([work("a"), work("b"), work("c", { after: ["a"] })]);
    const busy = running(plan, started("a"), started("b"), cancel);
    busy.decides("abort a#1", "abort b#1");
    busy.and(done("a")).decides("abort b#1");
    busy.and(done("a"), broke("b", { retryAt: timeOf(9) })).decides(cancelled);
  });

  test("an unstarted run is cancelled immediately, and so is a paused one", () => {
    after(planOf([work("a")], { approval: true }), run("Queued"), cancel).decides(cancelled);
    running(planOf([work("a")]), run("Paused"), cancel).decides(cancelled);
  });

  test("waits and sleeps end; containers end from the inside out", () => {
    const plan = planOf([
      {
        id: "poll",
        kind: "repeat",
        max: 2,
        bodies: [{ steps: [{ id: "big", kind: "when", bodies: [{ steps: [work("in")] }] }] }],
      },
      { id: "ok", kind: "wait", signal: "go" },
    ]);
    const busy = running(
      plan,
      started("poll"),
      started("poll/0"),
      started("poll/0/big", { branch: 0 }),
      started("poll/0/big/0/in"),
      started("ok"),
      cancel,
    );
    busy.decides("abort poll/0/big/0/in#1", `append StepFailed ok#1 ${stopped}`);
    const inner = busy.and(broke("poll/0/big/0/in"), broke("ok"));
    inner.decides(`append StepFailed poll/0/big#1 ${stopped}`);
    const end = inner.settled();
    expect(end.state.status).toBe("CANCELLED");
    expect(end.state.steps.rows().every(({ status }) => status === "FAILED")).toBe(true);
  });

  test("D9: the cancellation goes down to the child, whose end is awaited", { tags: ["E-14"] }, () => {
    const plan = planOf([{ id: "bill", kind: "child", child: { planId: "billing", planVersion: "1" } }]);
    const busy = running(plan, started("bill", { childRunId: "run-c" }), cancel);
    busy.decides("cancelChild run-c", "awaitChild run-c of bill#1");
    busy.and(broke("bill")).decides(cancelled);
  });
});

describe("what was done", () => {
  const undoable = { compensate: true };
  const plan = planOf([
    work("reserve", undoable),
    work("charge", { ...undoable, retry: { attempts: 2 } }),
    work("mail"),
    { id: "each", kind: "forEach", bodies: [{ steps: [work("ship", undoable)] }] },
  ]);
  const busy = running(
    plan,
    started("each", { count: 2 }),
    ran("each/1/ship"),
    ran("charge"),
    ran("mail"),
    ran("each/0/ship"),
    ran("reserve"),
    done("each"),
    cancel,
  );
  const undone = (stepId: string) => ran(`compensate/${stepId}`);

  test("D8: is undone in reverse order of completion, one after the other, in containers too", () => {
    busy.decides("run compensate/reserve#1");
    busy.and(started("compensate/reserve")).decides("run compensate/reserve#1");
    busy.and(undone("reserve")).decides("run compensate/each/0/ship#1");
    busy.and(undone("reserve"), undone("each/0/ship")).decides("run compensate/charge#1");
    busy
      .and(undone("reserve"), undone("each/0/ship"), undone("charge"))
      .decides("run compensate/each/1/ship#1")
      .and(undone("each/1/ship"))
      .decides(cancelled);
  });

  test("the command has the path of the compensated step in the plan", () => {
    expect(busy.and(undone("reserve")).commands).toMatchObject([{ path: "each/ship" }]);
  });

  test("D8: a failed compensation is recorded, and the others continue", () => {
    busy.and(broke("compensate/reserve")).decides("run compensate/each/0/ship#1");
  });

  test("an undo is tried again as its step would be", () => {
    busy
      .and(broke("compensate/reserve", { retryAt: timeOf(99) }))
      .decides(`run compensate/reserve#2 at ${timeOf(99)}`)
      .and(started("compensate/reserve", undefined, 2))
      .decides("run compensate/reserve#2")
      .and(done("compensate/reserve", {}, 2))
      .decides("run compensate/each/0/ship#1");
  });

  test("D8: PAUSE, another CANCEL and a deadline during compensation have no effect", () => {
    const more = busy.and(started("compensate/reserve"), action("PAUSE", "p"), action("CANCEL", "c2"));
    more.and(action("DEADLINE", "d"), action("RETRY_RUN", "r")).decides("run compensate/reserve#1");
  });

  test("D8: so it is when the run is out of time", { tags: ["E-10"] }, () => {
    const late = running(plan, ran("reserve"), action("DEADLINE", "d"));
    late.decides("run compensate/reserve#1");
    expect(late.and(undone("reserve")).commands).toMatchObject([{ event: { eventType: "RunFailed" } }]);
  });

  test("D8: a step that failed or was skipped is not undone", () => {
    running(plan, broke("reserve"), cancel).decides(cancelled);
  });

  test("in a run that was reopened, an undone step can be undone again", { tags: ["E-16"] }, () => {
    const again = busy
      .and(undone("reserve"), undone("each/0/ship"), undone("charge"), undone("each/1/ship"), run("Cancelled"))
      .and(run("Reopened", { steps: ["reserve", "compensate/reserve"] }), run("Started"))
      .and(started("reserve", undefined, 2), done("reserve", {}, 2), action("CANCEL", "c2"));
    again.decides("run compensate/reserve#2");
  });
});

test("a reset step that has not started again is not aborted", () => {
  running(planOf([work("a")]), broke("a"), reset("a"), cancel).decides(cancelled);
});

test("D8: what a fork has kept is not its own to undo", { tags: ["E-17"] }, () => {
  const plan = planOf([work("a", { compensate: true }), work("b", { compensate: true })]);
  const fork = running(plan, done("a", { kept: 3 }), ran("b"), action("CANCEL", "c1"));
  fork.decides("run compensate/b#1").and(ran("compensate/b")).decides("append RunCancelled#1 by c1 at the head");
});
