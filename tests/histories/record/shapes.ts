/** One story per feature that a run can use. */
import { workflow } from "runledger";
import { testLedger, type TestLedger } from "runledger/testing";

type Story = () => Promise<TestLedger>;

/** A schema that takes what it is given. */
function like<T>(_example: T) {
  const validate = (value: unknown): unknown => ({ value });
  return {
    "~standard": { version: 1, vendor: "histories", validate, types: { input: _example, output: _example } },
  } as const;
}

const flaky = <T>(failures: number, value: T) => {
  let calls = 0;
  return (): T => {
    if (++calls <= failures) throw new Error(`not yet (${calls})`);
    return value;
  };
};

const chainWithRetries: Story = async () => {
  const state = { schema: like({ rows: 0, last: "" }), initial: { rows: 0, last: "" } };
  const work = flaky(2, { rows: 3 });
  const chain = workflow("chain", { version: "1.0.0", state, input: like({ day: "" }) }, (w) => {
    const extract = w.step("extract", { retry: { attempts: 5, delay: "1s" } }, ({ patch, input }) => {
      const { rows } = work();
      patch({ rows, last: input.day });
      return { rows };
    });
    const optional = w.step("optional", { after: [extract], continueOnFailure: true }, flaky(9, 0));
    const load = w.step("load", { needs: { extract }, after: [optional] }, ({ needs, patch }) => {
      patch({ rows: needs.extract.rows + 1 });
      return needs.extract.rows;
    });
    return w.step("publish", { needs: { load } }, ({ needs }) => `published ${needs.load}`);
  });
  const ledger = await testLedger({ workflows: [chain] });
  await (await ledger.start(chain, { input: { day: "2026-11-14" }, labels: { team: "orders" }, priority: 3 })).ended();
  return ledger;
};

const forEach: Story = async () => {
  const third = flaky(1, 0);
  const each = workflow("each", { version: "1.0.0" }, (w) => {
    const list = w.step("list", () => [1, 2, 3, 4, 5]);
    const items = { needs: { list }, items: ({ needs }: { needs: { list: number[] } }) => needs.list, concurrency: 2 };
    const all = w.forEach("all", items, (v) => {
      const twice = v.step("twice", { retry: { attempts: 2, delay: "1s" } }, ({ item }) => {
        if (item === 3) third();
        return item * 2;
      });
      return v.step("add", { needs: { twice } }, ({ needs, index }) => needs.twice + index);
    });
    return w.step("sum", { needs: { all } }, async ({ needs }) => {
      let sum = 0;
      for await (const value of needs.all) sum += value;
      return sum;
    });
  });
  const ledger = await testLedger({ workflows: [each] });
  await (await ledger.start(each)).ended();
  return ledger;
};

const branchesAndLoops: Story = async () => {
  const branches = workflow("branches", { version: "1.0.0" }, (w) => {
    const size = w.step("size", () => 7);
    const big = w.when(
      "big",
      { needs: { size }, if: ({ needs }) => needs.size > 5 },
      (v) => v.step("yes", () => "big"),
      (v) => v.step("no", () => "small"),
    );
    const never = w.when("never", { if: () => false }, (v) => v.step("no", () => 1));
    const poll = w.repeat(
      "poll",
      { after: [big], max: 5, delay: "10s" },
      (v) => v.step("look", ({ iteration }) => iteration),
      ({ output }) => output === 2,
    );
    const each = w.forEach("each", { after: [poll], items: () => ["a", "b"] }, (v) =>
      v.when("isA", { if: ({ item }) => item === "a" }, (u) => u.step("inside", ({ item }) => item)),
    );
    const pause = w.sleep("pause", { after: [each], for: "1h" });
    return w.step("end", { needs: { big, never, poll }, after: [pause] }, ({ needs }) => ({ ...needs }));
  });
  const ledger = await testLedger({ workflows: [branches] });
  await (await ledger.start(branches)).ended();
  return ledger;
};

const waits: Story = async () => {
  const waiting = workflow("waits", { version: "1.0.0", signals: { go: like({ by: "" }) } }, (w) => {
    const first = w.waitForSignal("go", { id: "first" });
    const second = w.waitForSignal("go", { id: "second", after: [first] });
    const late = w.waitForSignal("never", { timeout: "3d", onTimeout: "continue" });
    const end = w.step("end", { needs: { first, second, late } }, ({ needs }) => [needs.first.by, needs.second.by]);
    w.waitForSignal("lost", { after: [end], timeout: "1h" });
    return end;
  });
  const ledger = await testLedger({ workflows: [waiting] });
  const run = await ledger.start(waiting);
  await run.signal("go", { by: "one" });
  await run.signal("go", { by: "two" });
  await run.signal("go", { by: "three, whom nobody waits for" });
  await run.ended();
  return ledger;
};

const children: Story = async () => {
  const answer = flaky(1, 42);
  const child = workflow("child", { version: "2.0.0", input: like(0) }, (w) =>
    w.step("answer", ({ input }) => answer() + input),
  );
  const parent = workflow("parent", { version: "1.0.0" }, (w) => {
    const asked = w.child("ask", child, { input: () => 1, retry: { attempts: 3, delay: "5s" } });
    return w.step("tell", { needs: { asked } }, ({ needs }) => needs.asked);
  });
  const ledger = await testLedger({ workflows: [parent, child] });
  await (await ledger.start(parent)).ended();
  return ledger;
};

const compensation: Story = async () => {
  const undoable = workflow("undoable", { version: "1.0.0" }, (w) => {
    const book = w.step("book", {}, () => "seat", { compensate: ({ output }) => void output });
    const pay = w.step("pay", { after: [book] }, () => 10, { compensate: flaky(9, undefined) });
    const ship = w.step("ship", { after: [pay] }, () => "box", { compensate: () => {} });
    w.waitForSignal("arrived", { after: [ship] });
  });
  const ledger = await testLedger({ workflows: [undoable] });
  const run = await ledger.start(undoable);
  await run.act("CANCEL", { by: "ops" });
  await run.ended();
  return ledger;
};

const cancelled: Story = async () => {
  const child = workflow("slow-child", { version: "1.0.0" }, (w) => w.waitForSignal("never"));
  const parent = workflow("cancelled", { version: "1.0.0" }, (w) => {
    w.child("ask", child);
    w.step("hang", ({ signal }) => untilAborted(signal));
    w.forEach("each", { items: () => [1, 2] }, (v) => v.step("hangs", ({ signal }) => untilAborted(signal)));
  });
  const ledger = await testLedger({ workflows: [parent, child] });
  const run = await ledger.start(parent);
  await run.act("CANCEL", { by: "ops" });
  await run.ended();
  return ledger;
};

function untilAborted(signal: AbortSignal): Promise<null> {
  return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
}

const reopened: Story = async () => {
  const mended = flaky(3, "mended");
  const broken = workflow("broken", { version: "1.0.0" }, (w) => {
    const good = w.step("good", () => 1);
    const bad = w.step("bad", { retry: { attempts: 2, delay: "1s" } }, mended);
    const never = w.step("never", flaky(99, 0));
    return w.step("end", { needs: { bad }, after: [good, never] }, ({ needs }) => needs.bad);
  });
  const ledger = await testLedger({ workflows: [broken] });
  const run = await ledger.start(broken);
  await run.ended();
  await run.act("RETRY_RUN", { by: "ops" });
  await run.ended();
  await run.act("RETRY_STEP", { by: "ops", stepId: "never" });
  await run.act("SKIP_STEP", { by: "ops", stepId: "never" }).catch(() => {}); // it has failed again: too late
  await run.ended();
  return ledger;
};

const steered: Story = async () => {
  const slow = workflow(
    "steered",
    { version: "1.0.0", approval: true, deadline: "1d", signals: { go: like({}) } },
    (w) => {
      const one = w.step("one", () => 1);
      w.step("again", flaky(1, "again"));
      const go = w.waitForSignal("go", { after: [one] });
      const two = w.step("two", { after: [go] }, flaky(9, 2));
      const three = w.step("three", { after: [two] }, () => 3);
      w.sleep("long", { after: [three], for: "2d" });
    },
  );
  const ledger = await testLedger({ workflows: [slow] });
  const run = await ledger.start(slow);
  await run.act("RESUME").catch(() => {}); // it is not paused: the answer is on record
  await run.act("APPROVE", { by: "boss" });
  await run.act("RETRY_STEP", { by: "ops", stepId: "again" });
  await run.act("PAUSE", { by: "ops" });
  await run.signal("go", {});
  await run.act("SKIP_STEP", { by: "ops", stepId: "two" });
  await run.act("RESUME", { by: "ops" });
  await run.ended();
  return ledger;
};

const takenOver: Story = async () => {
  const long = workflow("long", { version: "1.0.0" }, (w) => {
    const one = w.step("one", () => 1);
    const two = w.step("two", { needs: { one } }, ({ needs }) => needs.one + 1);
    return w.step("three", { needs: { two } }, ({ needs }) => needs.two + 1);
  });
  const ledger = await testLedger({ workflows: [long] });
  ledger.crash({ nth: 1, when: "after" });
  const run = await ledger.start(long);
  ledger.crash({ nth: 2, when: "after" });
  await ledger.advance("1m");
  await run.ended();
  return ledger;
};

const fork: Story = async () => {
  const orders = (version: string, load: () => number) =>
    workflow("orders", { version }, (w) => {
      const extract = w.step("extract", {}, () => [1, 2], { compensate: () => {} });
      const check = w.forEach("check", { needs: { extract }, items: ({ needs }) => needs.extract }, (v) =>
        v.step("one", ({ item }) => item),
      );
      const loaded = w.step("load", { needs: { extract }, after: [check] }, load);
      return w.step("publish", { needs: { loaded } }, ({ needs }) => needs.loaded);
    });
  const [old, next] = [orders("1.0.0", flaky(9, 0)), orders("1.0.1", () => 2)];
  const ledger = await testLedger({ workflows: [old, next] });
  const failed = await ledger.start(old);
  await failed.ended();
  const mended = await ledger.fork(failed, { from: "load", version: next });
  await mended.ended();
  await (await ledger.fork(mended, { from: "check/1/one" })).ended();
  return ledger;
};

export const shapes: Readonly<Record<string, Story>> = {
  "chain-with-retries": chainWithRetries,
  "for-each": forEach,
  "branches-and-loops": branchesAndLoops,
  "waits-and-timeouts": waits,
  children,
  compensation,
  cancelled,
  reopened,
  steered,
  "taken-over": takenOver,
  fork,
};
