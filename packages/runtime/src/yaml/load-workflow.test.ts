// @module-tag E-02
/** Errors of workflow files have file, line, column and a remedy. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { PlanError, type PlanProblem } from "@runledger/contracts";
import { loadWorkflow, type LoadOptions } from "../index.js";
import { describe, expect, test } from "vitest";
import { compiledOf } from "../workflow/compiled-workflow.js";

async function problemsOf(text: string, options: LoadOptions = {}): Promise<readonly PlanProblem[]> {
  try {
    await loadWorkflow(text, { name: "plan.yaml", ...options });
    return [];
  } catch (error) {
    if (!(error instanceof PlanError)) throw error;
    return error.problems;
  }
}

const lines = async (text: string, options?: LoadOptions) =>
  (await problemsOf(text, options)).map(({ origin, code, step, message }) => `${origin} ${code} ${step}: ${message}`);

describe("loading", () => {
  test("a YAML file, a JSON file and their texts compile to the same plan", async () => {
    const yaml = 'workflow: one\nversion: "1"\nsteps:\n  - { id: nap, sleep: 1s }\noutput: nap\n';
    const json = JSON.stringify({ workflow: "one", version: "1", steps: [{ id: "nap", sleep: "1s" }], output: "nap" });
    const folder = mkdtempSync(join(tmpdir(), "runledger-yaml-"));
    try {
      writeFileSync(join(folder, "plan.yaml"), yaml);
      writeFileSync(join(folder, "plan.json"), json);
      const file = join(folder, "plan.yaml");
      const sources = [yaml, json, file, join(folder, "plan.json"), pathToFileURL(file)];
      const made = await Promise.all(sources.map((source) => loadWorkflow(source)));
      const hashes = made.map((workflow) => compiledOf(workflow).plan.hash);
      expect(new Set(hashes).size).toBe(1);
      expect(made[0]).toEqual({ id: "one", version: "1" });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test("errors contain the file name", async () => {
    const folder = mkdtempSync(join(tmpdir(), "runledger-yaml-"));
    try {
      writeFileSync(join(folder, "orders.yaml"), "workflow: x\nsteps: 5\n");
      await expect(loadWorkflow(join(folder, "orders.yaml"))).rejects.toThrow(/orders\.yaml:2:8 PLAN_SYNTAX/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test("D7: a changed expression changes the plan", async () => {
    const hash = async (condition: string) =>
      compiledOf(await loadWorkflow(`workflow: x\nversion: "1"\nsteps: [{ id: w, when: ${condition}, then: [] }]\n`))
        .plan.hash;
    expect(await hash("input.a")).not.toBe(await hash("input.b"));
  });
});

describe("problems", () => {
  test("syntax errors are reported with their positions", async () => {
    expect(await lines("workflow: x\nsteps:\n  - id: a\n   b: c\n")).toEqual([
      "plan.yaml:4:1 PLAN_SYNTAX : Sequence item without - indicator",
    ]);
    expect(await lines("workflow: x\nworkflow: y\nsteps: !run []\n")).toEqual([
      "plan.yaml:2:1 PLAN_SYNTAX : Map keys must be unique",
      "plan.yaml:3:8 PLAN_SYNTAX : Unresolved tag: !run",
    ]);
    expect(await lines("\n")).toEqual(["plan.yaml:1:1 PLAN_SYNTAX : must be an object, not null."]);
    expect(await lines("- a\n- b\n")).toEqual(["plan.yaml:1:1 PLAN_SYNTAX : must be an object, not a list."]);
  });

  test("aliases that expand to too much data are refused", async () => {
    const bomb = ["a: &a [x, x, x, x, x, x, x, x, x, x]"];
    for (let i = 1; i < 8; i++)
      bomb.push(
        `${"ab".repeat(i)}: &a${i} [${Array(10)
          .fill(i === 1 ? "*a" : `*a${i - 1}`)
          .join(", ")}]`,
      );
    const [problem] = await problemsOf(`${bomb.join("\n")}\n`);
    expect(problem).toMatchObject({ code: "PLAN_SYNTAX", message: expect.stringContaining("alias") as string });
  });

  test("missing, unknown and invalid fields are reported together", async () => {
    const text = `
workflow: nightly
version: 1.4
deadlin: 1h
steps:
  - id: a
    comand: [x]
  - id: b
    command: [x, 5]
    sql: select 1
  - id: c
    sql: select 1
    timout: 3s
    timeout: 3 seconds
    retry: { attempts: 0, dealy: 3s }
  - just text
  - id: d
    command: []
  - id: e
    command: [x, 5]
    needs: 5
  - id: f
    repeat: { until: "true" }
    steps: { id: g }
  - id: g
    forEach: input
    steps:
      - { id: h, kind: function }
      - { id: i, wait: [], onTimeout: maybe }
`;
    expect(await lines(text)).toEqual([
      'plan.yaml:3:10 PLAN_SYNTAX : version must be a string, not a number. Quote it: "1.4".',
      "plan.yaml:4:1 PLAN_UNKNOWN_FIELD : unknown field deadlin. Did you mean deadline? Allowed fields: $schema, workflow, version, deadline, approval, compensateOn, visibility, partitions, input, signals, state, steps, output.",
      "plan.yaml:6:5 PLAN_SYNTAX a: has no kind. Did you mean command? Add one of command, sql, http, kind, when, forEach, repeat, wait, sleep, child.",
      "plan.yaml:8:5 PLAN_SYNTAX b: is both command and sql. Split it into two steps.",
      'plan.yaml:14:14 PLAN_OPTION_INVALID c: timeout is not a duration. Use one such as "10m".',
      "plan.yaml:15:24 PLAN_OPTION_INVALID c: retry.attempts must be a whole number of at least 1.",
      "plan.yaml:15:27 PLAN_UNKNOWN_FIELD c: unknown field retry.dealy. Remove it.",
      "plan.yaml:13:5 PLAN_UNKNOWN_FIELD c: unknown field timout. Did you mean timeout? Allowed fields: id, needs, after, timeout, continueOnFailure, settle, retry, compensate, datasets, sql, params, connection, transaction.",
      "plan.yaml:16:5 PLAN_SYNTAX : has no kind. Add one of command, sql, http, kind, when, forEach, repeat, wait, sleep, child.",
      "plan.yaml:18:14 PLAN_SYNTAX d: command[0] is missing. Add it.",
      "plan.yaml:21:12 PLAN_SYNTAX e: needs must be a list of steps, or a map from names to steps.",
      "plan.yaml:20:18 PLAN_SYNTAX e: command[1] must be a quoted string or { cel: … }.",
      "plan.yaml:23:13 PLAN_SYNTAX f: repeat.max is missing. Add it.",
      "plan.yaml:24:12 PLAN_SYNTAX f: steps must be a list, not an object.",
      "plan.yaml:29:24 PLAN_SYNTAX g/i: wait must be a string, not a list.",
      'plan.yaml:29:39 PLAN_OPTION_INVALID g/i: onTimeout must be "fail" or "continue".',
    ]);
  });

  test("invalid expressions are reported with their position and the available names", async () => {
    const text = `
workflow: x
steps:
  - id: a
    when: input.x + "a"
    then: []
  - id: b
    needs: [a]
    forEach: needs.c.rows
    steps:
      - { id: i, kind: dbt, with: { deep: [{ cel: "item.name +" }] } }
      - { id: j, command: [echo, { cel: itm }] }
      - { id: k, command: [echo, { cel: iteration }] }
  - id: d
    forEach: "size(input)"
    steps: []
  - id: e
    repeat: { until: output.done && item, max: 3 }
    steps: [{ id: f, kind: dbt, with: { n: { cel: iteration + 1 } } }]
  - id: g
    sleep:
      until: >
        input.a +
        inputt.b
`;
    expect(await lines(text, { kinds: ["dbt"] })).toEqual([
      "plan.yaml:5:11 PLAN_EXPRESSION_INVALID a: Expression returns string, not true or false.",
      "plan.yaml:9:20 PLAN_EXPRESSION_INVALID b: No such key: c. Available: needs.a.",
      "plan.yaml:11:63 PLAN_EXPRESSION_INVALID b/i: Unexpected token: EOF.",
      "plan.yaml:12:41 PLAN_EXPRESSION_INVALID b/j: Unknown variable: itm. Available: input, needs, state, schedule, partition, item, index.",
      "plan.yaml:13:41 PLAN_EXPRESSION_INVALID b/k: Unknown variable: iteration. Available: input, needs, state, schedule, partition, item, index.",
      "plan.yaml:15:15 PLAN_EXPRESSION_INVALID d: Expression returns int, not a list.",
      "plan.yaml:18:37 PLAN_EXPRESSION_INVALID e: Unknown variable: item. Available: input, needs, state, schedule, partition, iteration, output.",
      "plan.yaml:22:14 PLAN_EXPRESSION_INVALID g: Unknown variable: inputt. Available: input, needs, state, schedule, partition.",
    ]);
    const nothing = "workflow: x\nsteps:\n  - { id: a, when: needs.b, then: [] }\n";
    expect(await lines(nothing)).toEqual([
      "plan.yaml:3:26 PLAN_EXPRESSION_INVALID a: No such key: b. Available: nothing.",
    ]);
  });

  test("problems found by compilePlan have their position in the file", async () => {
    const text = `
workflow: nightly
version: "a|b"
steps:
  - id: load
    needs: [transform]
    sleep: 1s
  - id: transform
    after: [extract, load]
    sleep: 1s
  - id: RUN
    kind: dbt
  - id: w
    wait: go
    onTimeout: fail
  - id: each
    forEach: "[1]"
    steps: [{ id: in, sleep: 1s }]
    output: load
  - { id: z, needs: { x: in }, sleep: 1s }
output: nowhere
`;
    const problems = (await problemsOf(text)).map(({ origin, code, step }) => `${origin} ${code} ${step}`);
    expect(problems).toEqual([
      "plan.yaml:3:10 PLAN_ID_INVALID ",
      "plan.yaml:11:9 PLAN_ID_INVALID RUN",
      "plan.yaml:12:11 PLAN_UNKNOWN_KIND RUN",
      "plan.yaml:15:16 PLAN_OPTION_INVALID w",
      "plan.yaml:9:13 PLAN_UNKNOWN_STEP transform",
      "plan.yaml:20:26 PLAN_UNKNOWN_STEP z",
      "plan.yaml:21:9 PLAN_UNKNOWN_STEP ",
      "plan.yaml:19:13 PLAN_UNKNOWN_STEP each",
      "plan.yaml:5:5 PLAN_CYCLE load",
    ]);
    const cycle = (await problemsOf(text)).at(-1)!.message;
    expect(cycle).toBe(
      "waits for itself: load → transform → load. Remove one of: load.needs.transform (plan.yaml:6:13), transform.after[1] (plan.yaml:9:22).",
    );
  });

  test("invalid schemas and an invalid initial state are reported", async () => {
    const text = `
workflow: x
input: { type: strin }
signals: { go: { $ref: "#/nowhere" } }
state: { initial: { n: text }, schema: { type: object, properties: { n: { type: number } } } }
steps: []
`;
    expect(await lines(text)).toEqual([
      "plan.yaml:4:16 PLAN_OPTION_INVALID : signals.go is not a supported JSON Schema: Reference not found: #/nowhere.",
      "plan.yaml:5:24 PLAN_SYNTAX : n must be a number, not a string.",
      "plan.yaml:3:8 PLAN_OPTION_INVALID : input is not a supported JSON Schema: Unsupported type: strin.",
    ]);
  });
});

describe("references", () => {
  test("a name refers to the nearest step, from the inside out", async () => {
    const made = await loadWorkflow(`
workflow: x
steps:
  - { id: a, sleep: 1s }
  - id: each
    forEach: "[1]"
    steps:
      - { id: a, sleep: 1s }
      - { id: b, after: [a, each-before], sleep: 1s }
      - id: deep
        forEach: "[1]"
        steps: [{ id: c, needs: [a, b], sleep: 1s }]
  - { id: each-before, sleep: 1s }
  - { id: d, after: [a, each], sleep: 1s }
`);
    const { steps } = compiledOf(made).plan.body;
    const [, each, , d] = steps;
    const [, b, deep] = each!.bodies![0]!.steps;
    expect(d!.after).toEqual(["a", "each"]);
    expect(b!.after).toEqual(["each/a", "each-before"]);
    expect(deep!.bodies![0]!.steps[0]!.needs).toEqual({ a: "each/a", b: "each/b" });
  });
});
