/** Workflows of every shape. The caller supplies the side effects. */
import { workflow } from "runledger";
import type { AnyWorkflow } from "@runledger/runtime/workflow/types";

/** The context of a step. */
export interface Deed {
  readonly runId: string;
  readonly stepId: string;
  readonly attempt: number;
  readonly idempotencyKey: string;
  readonly needs: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
}

/** Performs a side effect and returns its description. */
export type Perform = (deed: Deed) => Promise<{ readonly from: string }>;

const VERSION = { version: "1.0.0" };
const RETRY = { attempts: 4, delay: "20ms", maxDelay: "100ms" } as const;

export function chaosWorkflows(perform: Perform) {
  const chain = workflow("chain", VERSION, (w) => {
    const one = w.step("one", perform);
    const two = w.step("two", { needs: { one } }, perform);
    const three = w.step("three", { needs: { one, two } }, perform);
    return w.step("four", { needs: { three } }, perform);
  });

  const fanOut = workflow("fan-out", VERSION, (w) => {
    const list = w.step("list", perform);
    const each = w.forEach("each", { needs: { list }, items: () => ["a", "b", "c", "d", "e"], concurrency: 3 }, (w) => {
      const read = w.step("read", perform);
      return w.step("write", { needs: { read } }, perform);
    });
    return w.step("gather", { after: [each] }, perform);
  });

  const retries = workflow("retries", VERSION, (w) => {
    const flaky = w.step("flaky", { retry: RETRY }, failing(perform, 2));
    const slow = w.step("slow", { retry: RETRY, timeout: "3s" }, perform);
    const hopeless = w.step("hopeless", { continueOnFailure: true }, failing(perform, Infinity));
    return w.step("last", { needs: { flaky, slow }, after: [hopeless] }, perform);
  });

  const waits = workflow("waits", VERSION, (w) => {
    const early = w.waitForSignal("go", { id: "early" });
    const nap = w.sleep("nap", { after: [early], for: "50ms" });
    const before = w.step("before", { after: [nap] }, perform);
    const late = w.waitForSignal("go", { id: "late", after: [before] });
    const never = w.waitForSignal("never", { after: [before], timeout: "200ms", onTimeout: "continue" });
    return w.step("behind", { needs: { late }, after: [never] }, perform);
  });

  const child = workflow("child", VERSION, (w) => {
    const small = w.step("small", perform);
    const nap = w.sleep("nap", { after: [small], for: "30ms" });
    return w.step("done", { needs: { small }, after: [nap] }, perform);
  });

  const family = workflow("family", VERSION, (w) => {
    const prepare = w.step("prepare", perform);
    const left = w.child("left", child, { after: [prepare] });
    const right = w.child("right", child, { after: [prepare] });
    return w.step("sum", { needs: { left, right } }, perform);
  });

  /** Waits for a signal that never arrives. Cancelling it runs the compensations. */
  const saga = workflow("saga", VERSION, (w) => {
    const book = w.step("book", {}, perform, undo(perform));
    const pay = w.step("pay", { needs: { book } }, perform, undo(perform));
    const send = w.step("send", { needs: { pay } }, perform, undo(perform));
    return w.waitForSignal("arrived", { after: [send] });
  });

  /** Fails, and completes when an operator retries it. */
  const reopens = workflow("reopens", VERSION, (w) => {
    const kept = w.step("kept", perform);
    const breaks = w.step("breaks", { needs: { kept } }, failing(perform, 1));
    return w.step("behind", { needs: { breaks } }, perform);
  });

  const branches = workflow("branches", VERSION, (w) => {
    const look = w.step("look", perform);
    const choice = w.when(
      "choice",
      { needs: { look }, if: ({ needs }) => needs.look.from === "look" },
      (w) => w.step("yes", perform),
      (w) => w.step("no", perform),
    );
    const again = w.repeat(
      "again",
      { after: [choice], max: 5, delay: "20ms" },
      (w) => w.step("try", perform),
      ({ iteration }) => iteration >= 2,
    );
    return w.step("end", { after: [again] }, perform);
  });

  const all = { chain, "fan-out": fanOut, retries, waits, family, saga, reopens, branches, child };
  return all satisfies Record<string, AnyWorkflow>;
}

/** Performs the effect and then fails, the given number of times. */
function failing(perform: Perform, times: number): Perform {
  return async (deed) => {
    await perform(deed);
    if (deed.attempt <= times) throw new Error(`Attempt ${deed.attempt} is meant to fail.`);
    return { from: deed.stepId };
  };
}

function undo(perform: Perform): { readonly compensate: (deed: Deed) => Promise<void> } {
  return { compensate: async (deed) => void (await perform(deed)) };
}
