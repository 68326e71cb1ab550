// @module-tag E-03
/** Plans that `compilePlan` returns, and definitions that it refuses. */
import { PlanError, type PlanProblem } from "@runledger/contracts";
import { describe, expect, test } from "vitest";
import { work } from "@runledger/test-support/decide";
import { compilePlan, type CompileOptions, type Definition, type DefinitionStep, type Duration } from "../index.js";

const definition = (steps: readonly DefinitionStep[], more: Partial<Definition> = {}): Definition => ({
  id: "nightly",
  version: "1",
  body: { steps },
  ...more,
});

function problemsOf(written: Definition, options?: CompileOptions): readonly PlanProblem[] {
  try {
    compilePlan(written, options);
    return [];
  } catch (error) {
    if (!(error instanceof PlanError)) throw error;
    return error.problems;
  }
}

const told = (problems: readonly PlanProblem[]) => problems.map(({ code, step }) => `${code} ${step}`.trim());
const refused = (steps: readonly DefinitionStep[], more: Partial<Definition> = {}) =>
  told(problemsOf(definition(steps, more)));
const each = (id: string, steps: readonly DefinitionStep[], output?: string): DefinitionStep => ({
  id,
  kind: "forEach",
  bodies: [output === undefined ? { steps } : { steps, output }],
});

describe("a plan", () => {
  test("D7: is data: durations in milliseconds, defaults filled in, nothing that was not said", () => {
    const retry = { attempts: 5 };
    const plan = compilePlan(
      definition([work("a", { retry, timeout: "1.5s" }), work("b", { needs: { a: "a" } })], {
        deadline: "1d",
        approval: true,
        body: {
          steps: [work("a", { retry, timeout: "1.5s" }), work("b", { needs: { a: "a" } })],
          output: "b",
        },
      }),
    );
    const policy = { attempts: 5, delayMs: 1000, factor: 2, maxDelayMs: 300_000, unless: [] };
    expect(plan).toEqual({
      planId: "nightly",
      planVersion: "1",
      hash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      deadlineMs: 86_400_000,
      approval: true,
      body: {
        steps: [
          { id: "a", kind: "function", needs: {}, after: [], retry: policy, timeoutMs: 1500 },
          { id: "b", kind: "function", needs: { a: "a" }, after: [] },
        ],
        output: "b",
      },
    });
  });

  test("every option of every kind comes through", () => {
    const steps: DefinitionStep[] = [
      work("a", { continueOnFailure: true, compensate: true, options: { x: 1 } }),
      { id: "each", kind: "forEach", concurrency: 2, bodies: [{ steps: [] }] },
      { id: "poll", kind: "repeat", max: 3, delay: "1m", bodies: [{ steps: [] }] },
      { id: "go", kind: "wait", signal: "go", timeout: "1h", onTimeout: "continue" },
      { id: "nap", kind: "sleep", for: "2ms" },
      { id: "kid", kind: "child", child: { planId: "k", planVersion: "1" } },
    ];
    const inner = { steps: [], output: null };
    expect(compilePlan(definition(steps)).body.steps).toMatchObject([
      { continueOnFailure: true, compensate: true, options: { x: 1 } },
      { concurrency: 2, bodies: [inner] },
      { max: 3, delayMs: 60_000, bodies: [inner] },
      { signal: "go", timeoutMs: 3_600_000, onTimeout: "continue" },
      { forMs: 2 },
      { child: { planId: "k", planVersion: "1" } },
    ]);
  });

  test("D7: equal content has the same hash, regardless of the order of keys; other content has another", () => {
    const one = compilePlan(definition([work("a", { options: { x: 1, y: [{ p: 1, q: 2 }] } })]));
    const same = compilePlan(definition([{ options: { y: [{ q: 2, p: 1 }], x: 1 }, kind: "function", id: "a" }]));
    const other = compilePlan(definition([work("a", { options: { x: 2 } })]));
    expect(same.hash).toBe(one.hash);
    expect(other.hash).not.toBe(one.hash);
  });

  test("D7: without a version it is named by its content", () => {
    const versionOf = (id: string) => compilePlan({ id: "dev", body: { steps: [work(id)] } }).planVersion;
    expect(versionOf("a")).toMatch(/^dev-[0-9a-f]{12}$/);
    expect(versionOf("a")).toBe(versionOf("a"));
    expect(versionOf("a")).not.toBe(versionOf("b"));
  });

  test("kinds of the user's own are known where they are named", () => {
    expect(problemsOf(definition([{ id: "a", kind: "dbt", options: {} }]), { kinds: ["dbt"] })).toEqual([]);
  });
});

describe("ids", () => {
  test("K3: are identifiers, not too long, and not reserved", () => {
    for (const id of ["", "a|b", "a\n", "RUN", "compensate", "a/b", "x".repeat(101), undefined as never]) {
      expect(refused([work(id)])).toEqual([`PLAN_ID_INVALID ${id ?? ""}`.trim()]);
    }
    expect(refused([work("x".repeat(100)), work("läuft ✓")])).toEqual([]);
  });

  test("K1: so are the workflow's id and version", () => {
    expect(refused([], { id: "a|b", version: "" })).toEqual(["PLAN_ID_INVALID", "PLAN_ID_INVALID"]);
  });

  test("are there once in their container, in both branches together", () => {
    const branches = [{ steps: [work("a")] }, { steps: [work("a")] }];
    expect(refused([work("a"), work("a")])).toEqual(["PLAN_DUPLICATE_ID a"]);
    expect(refused([{ id: "w", kind: "when", bodies: branches }])).toEqual(["PLAN_DUPLICATE_ID w/a"]);
    expect(refused([work("a"), each("e", [work("a")])])).toEqual([]);
  });

  test("K3: a step whose longest derived id does not fit is refused, with the length", () => {
    const [a, b] = ["a".repeat(100), "b".repeat(100)];
    const deep = (leaf: string) => [each(a, [each(b, [work(leaf)])])];
    const long = "l".repeat(255 - "compensate/".length - 2 * (100 + 9));
    expect(refused(deep(long))).toEqual([]);
    expect(refused(deep(`${long}l`))).toEqual([`PLAN_ID_TOO_LONG ${a}/${b}/${long}l`]);
    const branch: DefinitionStep = { id: a, kind: "when", bodies: [{ steps: [each(b, [work(`${long}llllll`)])] }] };
    expect(refused([branch])).toEqual([]); // the index of a branch has one digit
  });
});

describe("references", () => {
  test("unknown steps are refused, with the nearest name", () => {
    const problems = problemsOf(
      definition([
        work("load", { needs: { e: "Extract" } }),
        work("extract", { after: ["one", "nowhere"] }),
        each("t", [work("one")]),
      ]),
    );
    expect(problems.map(({ message }) => message)).toEqual([
      "refers to Extract, which does not exist. Did you mean extract?",
      "refers to one, which does not exist. Did you mean t/one?",
      "refers to nowhere, which does not exist. Define it or remove the reference.",
    ]);
    expect(told(problems)).toEqual(Array(3).fill(expect.stringContaining("PLAN_UNKNOWN_STEP")));
  });

  test("handles are used inside their container only", () => {
    const tables = each("tables", [work("one"), each("rows", [work("leaf")])]);
    expect(refused([tables, work("a", { needs: { x: "tables/one" } })])).toEqual(["PLAN_OUT_OF_SCOPE a"]);
    const [problem] = problemsOf(definition([tables, work("a", { after: ["tables/rows/leaf"] })]));
    expect(problem?.message).toBe("refers to tables/rows/leaf from outside tables. Refer to tables instead.");
    expect(refused([tables, each("other", [work("b", { after: ["tables/one"] })])])).toEqual([
      "PLAN_OUT_OF_SCOPE other/b",
    ]);
  });

  test("a step sees those around its container", () => {
    const tables = each("tables", [work("one"), each("rows", [work("leaf", { after: ["a", "tables/one"] })])]);
    expect(refused([work("a"), tables])).toEqual([]);
  });

  test("handles of another workflow are refused, with both names", () => {
    const [problem] = problemsOf(definition([work("a", { needs: { x: { workflow: "weekly", path: "load" } } })]));
    expect(problem).toMatchObject({ code: "PLAN_FOREIGN_HANDLE", step: "a" });
    expect(problem?.message).toContain("load of workflow weekly");
  });

  test("a dependency that can never run: in the other branch, at any depth", () => {
    const when = (ref: string): DefinitionStep => ({
      id: "w",
      kind: "when",
      bodies: [{ steps: [work("yes"), each("deep", [work("leaf")])] }, { steps: [work("no", { after: [ref] })] }],
    });
    expect(refused([when("w/yes")])).toEqual(["PLAN_NEVER_RUNS w/no"]);
    expect(refused([when("w/deep/leaf")])).toEqual(["PLAN_NEVER_RUNS w/no"]);
  });

  test("a body's output is one of its own steps", () => {
    const body = (output: Definition["body"]["output"], steps = [work("a")]) => ({ body: { steps, output: output! } });
    const tables = each("tables", [work("one")]);
    expect(refused([], body("a"))).toEqual([]);
    expect(refused([], body("b"))).toEqual(["PLAN_UNKNOWN_STEP"]);
    expect(refused([], body("tables/one", [tables]))).toEqual(["PLAN_OUT_OF_SCOPE"]);
    expect(refused([], body({ workflow: "weekly", path: "a" }))).toEqual(["PLAN_FOREIGN_HANDLE"]);
    expect(refused([work("a"), each("t", [work("b")], "a")])).toEqual(["PLAN_OUT_OF_SCOPE t"]);
    expect(refused([each("t", [work("b")], "t/b")])).toEqual([]);
  });
});

describe("cycles", () => {
  const messages = (...steps: DefinitionStep[]) =>
    problemsOf(definition(steps)).map(({ code, message }) => `${code} ${message}`);

  test("are printed, each once, with what to remove", () => {
    const load = work("load", { needs: { t: "transform" } });
    const transform = work("transform", { after: ["extract", "load"] });
    expect(messages(work("extract"), load, transform)).toEqual([
      "PLAN_CYCLE waits for itself: load → transform → load. Remove one of: load.needs.t, transform.after[1].",
    ]);
  });

  test("a step that waits for itself", () => {
    expect(messages(work("a", { after: ["a"] }))).toEqual([
      "PLAN_CYCLE waits for itself: a → a. Remove one of: a.after[0].",
    ]);
  });

  test("a step that waits for the container it is in", () => {
    expect(messages(each("t", [each("u", [work("a", { after: ["t"] })])]))).toEqual([
      "PLAN_CYCLE waits for t, the container around it, which waits for it in turn. Remove after[0].",
    ]);
  });

  test("through a container, by what a step in it names", () => {
    const tables = each("tables", [work("one", { needs: { b: "b" } })]);
    expect(messages(tables, work("b", { after: ["tables"] }))).toEqual([
      "PLAN_CYCLE waits for itself: tables → b → tables. Remove one of: tables/one.needs.b, b.after[0].",
    ]);
  });

  test("several are all found, and a diamond is none", () => {
    const pair = (a: string, b: string) => [work(a, { after: [b] }), work(b, { after: [a] })];
    expect(messages(...pair("a", "b"), ...pair("c", "d"))).toHaveLength(2);
    const diamond = [work("a"), work("b", { after: ["a"] }), work("c", { after: ["a"] })];
    expect(messages(...diamond, work("d", { after: ["b", "c"] }))).toEqual([]);
  });

  test("a chain may be long", () => {
    const chain = Array.from({ length: 20_000 }, (_, index) =>
      work(`s${index}`, index === 0 ? {} : { after: [`s${index - 1}`] }),
    );
    expect(messages(...chain.toReversed())).toEqual([]);
  });
});

describe("kinds and options", () => {
  test("an unknown kind is refused, with those that are known", () => {
    const [problem] = problemsOf(definition([{ id: "a", kind: "comand", max: -1 }]), { kinds: ["dbt"] });
    expect(problem).toMatchObject({ code: "PLAN_UNKNOWN_KIND", step: "a" });
    expect(problem?.message).toContain("when, forEach, repeat, wait, sleep, child, function, command, sql, http, dbt");
  });

  const empty = [{ steps: [] }];
  test.each<[string, DefinitionStep]>([
    ["timeout is not a duration", work("a", { timeout: "ten minutes" as Duration })],
    ["timeout is not a duration", work("a", { timeout: 10 as never })],
    ["timeout is not a duration of at most 36500d", work("a", { timeout: "36501d" })],
    ["timeout is not a duration of at most 36500d", work("a", { timeout: "99999999999999999999d" })],
    ["retry.attempts must be", work("a", { retry: { attempts: 0 } })],
    ["retry.factor must be", work("a", { retry: { attempts: 2, factor: 0.5 } })],
    ["retry.delay is not a duration", work("a", { retry: { attempts: 2, delay: "1w" as Duration } })],
    ["retry.maxDelay is not a duration", work("a", { retry: { attempts: 2, maxDelay: "-1s" } })],
    ["concurrency must be", { id: "a", kind: "forEach", bodies: empty, concurrency: 1.5 }],
    ["has 0 bodies; a forEach has 1 to 1", { id: "a", kind: "forEach" }],
    ["has 3 bodies; a when has 1 to 2", { id: "a", kind: "when", bodies: [...empty, ...empty, ...empty] }],
    ["has 1 bodies; a function has 0 to 0", work("a", { bodies: empty })],
    ["max must be", { id: "a", kind: "repeat", bodies: empty }],
    ["delay is not a duration", { id: "a", kind: "repeat", bodies: empty, max: 1, delay: "soon" as Duration }],
    ["signal must be the name", { id: "a", kind: "wait" }],
    ["signal must be the name", { id: "a", kind: "wait", signal: "" }],
    ["onTimeout has no effect without a timeout", { id: "a", kind: "wait", signal: "go", onTimeout: "fail" }],
    ["for is not a duration", { id: "a", kind: "sleep", for: "1 h" }],
    ["child must name a workflow", { id: "a", kind: "child" }],
    ["retry has no effect on a forEach. Set it on the steps inside.", { ...each("a", []), retry: { attempts: 2 } }],
    ["compensate has no effect on a sleep. Remove it.", { id: "a", kind: "sleep", for: "1s", compensate: true }],
    ["concurrency has no effect on a function", work("a", { concurrency: 2 })],
    ["max has no effect on a function", work("a", { max: 2 })],
    ["signal has no effect on a function", work("a", { signal: "go" })],
    ["child has no effect on a function", work("a", { child: { planId: "k", planVersion: "1" } })],
  ])("%s", { tags: ["R-26"] }, (message, step) => {
    const [problem, ...more] = problemsOf(definition([step]));
    expect(problem).toMatchObject({ code: "PLAN_OPTION_INVALID", step: "a" });
    expect(problem?.message).toContain(message);
    expect(more).toEqual([]);
  });

  test("a deadline is a duration", () => {
    expect(refused([], { deadline: "tomorrow" as Duration })).toEqual(["PLAN_OPTION_INVALID"]);
  });
});

describe("what is wrong", () => {
  const wrong = definition([work("a", { after: ["nowhere"] }), { id: "RUN", kind: "x" }, work("a")], {
    deadline: "x" as Duration,
  });

  test("is reported all at once, and the error carries the first code", () => {
    expect(told(problemsOf(wrong))).toEqual([
      "PLAN_ID_INVALID RUN",
      "PLAN_DUPLICATE_ID a",
      "PLAN_OPTION_INVALID",
      "PLAN_UNKNOWN_KIND RUN",
      "PLAN_UNKNOWN_STEP a",
    ]);
    expect(() => compilePlan(wrong)).toThrow(
      expect.objectContaining({ code: "PLAN_ID_INVALID", workflowId: "nightly" }),
    );
    expect(() => compilePlan(wrong)).toThrow(
      /PLAN_DUPLICATE_ID a: is used twice\..*\n {2}PLAN_OPTION_INVALID: deadline/s,
    );
  });

  test("reports the position in the source, as closely as it is known", () => {
    const written = { origin: "plan.yaml:3:5", origins: { "after[0]": "plan.yaml:4:13" } };
    const problems = problemsOf(
      definition(
        [work("a", { after: ["b"], kind: "x", ...written }), work("b", { after: ["a"], origin: "plan.yaml:9:1" })],
        {
          deadline: "x" as Duration,
          origins: { deadline: "plan.yaml:2:11" },
          body: {
            steps: [
              work("a", { after: ["b"], kind: "x", ...written }),
              work("b", { after: ["a"], origin: "plan.yaml:9:1" }),
            ],
            output: "c",
            origins: { output: "plan.yaml:12:9" },
          },
        },
      ),
    );
    expect(problems.map(({ code, origin }) => `${origin} ${code}`)).toEqual([
      "plan.yaml:2:11 PLAN_OPTION_INVALID",
      "plan.yaml:3:5 PLAN_UNKNOWN_KIND",
      "plan.yaml:12:9 PLAN_UNKNOWN_STEP",
      "plan.yaml:3:5 PLAN_CYCLE",
    ]);
    expect(problems.at(-1)?.message).toContain(
      "Remove one of: a.after[0] (plan.yaml:4:13), b.after[0] (plan.yaml:9:1).",
    );
  });

  test("problems of expressions are reported with the rest", { tags: ["E-02"] }, () => {
    const problem = { code: "PLAN_OPTION_INVALID", step: "a", message: "no" } as const;
    expect(problemsOf(definition([work("a")]), { expressions: () => [problem] })).toEqual([problem]);
  });
});
