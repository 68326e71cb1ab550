// @module-tag R-20
/** No expression blocks a worker or exhausts its memory, no matter how it is written. */
import type { Json } from "@runledger/contracts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { connect, loadWorkflow } from "../index.js";
import { compileExpression } from "./cel.js";
import { COST_LIMIT, RESULT_LIMIT, withMeter } from "./cel-meter.js";
import { ExpressionError } from "./expression-error.js";

const visible = { needs: [], more: [] };
const input = {
  text: "a".repeat(100_000),
  word: "hello",
  list: Array.from({ length: 1000 }, (_, n) => n),
  map: Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`k${n}`, n])),
  zone: "Europe/Berlin",
};
const scope = { input, state: null, schedule: null, needs: {} };

interface Evaluation {
  readonly value: Json | ExpressionError;
  readonly cost: number;
}

/** Any other error than an ExpressionError fails the test. */
function evaluate(text: string): Evaluation {
  return withMeter((meter) => {
    try {
      return { value: compileExpression(text, visible, "value")(scope), cost: meter.cost };
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      return { value: error, cost: meter.cost };
    }
  });
}

/** `cel.bind(v1, [v0, v0, …], cel.bind(…))`: each level multiplies the size, and the memory stays small. */
function shared(levels: number, result: string): string {
  return Array.from({ length: levels }, (_, level) => level).reduceRight(
    (inner, level) => `cel.bind(v${level + 1}, [${Array(8).fill(`v${level}`).join(", ")}], ${inner})`,
    result,
  );
}

describe("an expression that needs too much fails", () => {
  test.each([
    ["nested loops", "input.list.map(a, input.list.map(b, input.list.map(c, c)))"],
    ["a comment before a parenthesis", "input.list.all//\n(a, input.list.all//\n(b, input.list.all//\n(c, c == c)))"],
    ["errors that a loop ignores", "input.list.exists(a, input.list.exists(b, b.missing))"],
    ["errors that an operator ignores", "input.list.all(a, input.list.all(b, input.list.all(c, true))) || true"],
    ["text that doubles", `cel.bind(a, input.text, ${"cel.bind(a, a + a, ".repeat(20)}size(a)${")".repeat(21)}`],
    ["lists that double", `cel.bind(a, input.list, ${"cel.bind(a, a + a, ".repeat(20)}size(a)${")".repeat(21)}`],
    ["comparisons of shared parts", `cel.bind(v0, [1], ${shared(9, "v9 == [v8, v8, v8, v8, v8, v8, v8, v8]")})`],
    ["membership of shared parts", `cel.bind(v0, [1], ${shared(9, "v9 in [[v8, v8, v8, v8, v8, v8, v8, v8]]")})`],
    ["joined text", "input.list.map(x, input.text).join(',')"],
    ["keys of maps", "input.list.map(a, input.list.map(b, size(input.map)))"],
    ["loops over keys that stop early", "input.list.map(a, input.list.map(b, input.map.exists(k, true)))"],
    ["time zones", 'input.list.map(a, timestamp("2026-01-01T00:00:00Z").getHours(input.zone)).map(a, a)'],
    ["a backtracking duration", "duration(input.text)"],
    ["a long search", 'input.text.contains("b" + input.text.substring(50000))'],
    ["patterns in a loop", 'input.list.map(a, input.text.matches("(a|b)*c(a{1,50}){1,20}"))'],
    ["split text", "input.list.map(a, input.text.split(''))"],
  ])("%s", (_, text) => {
    const { value, cost } = evaluate(text);
    expect(value).toMatchObject({ message: expect.stringContaining("exceeds the cost limit") as string });
    expect(cost).toBeGreaterThan(COST_LIMIT);
  });

  test("a result that shares parts is counted as it is recorded", () => {
    const { value } = evaluate(`cel.bind(v0, [1], ${shared(9, "v9")})`);
    expect(value).toMatchObject({ message: `Expression returned more than ${RESULT_LIMIT} characters. Return less.` });
  });

  test("expressions of one setting share the limit", () => {
    const expression = compileExpression("input.list.map(a, input.word.size() + 1)", visible, "value");
    expect(() => withMeter(() => Array.from({ length: 200 }, () => expression(scope)))).toThrow("cost limit");
    expect(expression(scope)).toHaveLength(1000);
  });

  test("a long or deeply nested text is refused before it is evaluated", () => {
    expect(evaluate(`"${"a".repeat(10_000)}"`).value).toMatchObject({
      message: /10002 characters. The limit is 10000/,
    });
    for (const text of [`${"(".repeat(200)}1${")".repeat(200)}`, `1${" + 1".repeat(2000)}`, "[".repeat(150)])
      expect(evaluate(text).value).toBeInstanceOf(ExpressionError);
  });
});

test("a pattern with backtracking matches in linear time", () => {
  expect(evaluate(`"${"a".repeat(60)}!".matches("^(a+)+$")`).value).toBe(false);
  expect(evaluate('"x".matches("(?=a)")').value).toMatchObject({
    message: expect.stringContaining("Invalid pattern") as string,
  });
});

const list = fc.letrec<{ any: string }>((tie) => ({
  any: fc.oneof(
    { depthSize: "large", withCrossShrink: true },
    fc.constantFrom("input.list", "[1, 2]", "input.map.map(k, k)", "input.text.split('')"),
    fc.tuple(tie("any"), tie("any")).map(([a, b]) => `(${a} + ${b})`),
    fc.tuple(tie("any"), tie("any")).map(([a, b]) => `[${a}, ${b}]`),
    fc.tuple(tie("any"), tie("any")).map(([a, b]) => `${a}.map(x, ${b})`),
    fc.tuple(tie("any"), tie("any")).map(([a, b]) => `${a}.filter(x, x in ${b} || ${b} == ${a})`),
    fc.tuple(tie("any"), tie("any")).map(([a, b]) => `(${a}.exists(x, ${b}[0] == x) ? ${a} : ${b})`),
    tie("any").map((a) => `cel.bind(y, ${a}, [y, y, y, y])`),
    tie("any").map((a) => `[${a}.map(x, string(x)).join(input.text)]`),
  ),
})).any;

test("every expression returns data within the limits, or fails with an ExpressionError", () => {
  const property = fc.property(list, (text) => {
    const { value } = evaluate(text);
    if (!(value instanceof ExpressionError)) expect(JSON.stringify(value).length).toBeLessThan(2 * RESULT_LIMIT);
  });
  fc.assert(property, { numRuns: 60 });
});

test("comments and spaces do not change the cost", () => {
  const property = fc.property(list, fc.constantFrom(" //\n", "\n", " //,)(\n//\n\t"), (text, space) => {
    const spaced = text.replaceAll(/[.(),[\]]/g, (sign) => `${space}${sign}${space}`);
    fc.pre(spaced.length <= 10_000);
    expect(evaluate(spaced).cost).toBe(evaluate(text).cost);
  });
  fc.assert(property, { numRuns: 25 });
});

test("a worker continues after an expression that needs too much", async () => {
  await using ledger = await connect("memory:");
  const flow = (id: string, when: string) =>
    loadWorkflow(JSON.stringify({ workflow: id, steps: [{ id: "a", when, then: [] }] }));
  const evil = await flow("evil", "[1, 2, 3].all//\n(a, input.all//\n(b, input.all//\n(c, input.all//\n(d, d == d))))");
  const good = await flow("good", "size(input) == 1000");
  await ledger.worker({ workflows: [evil, good], pollMs: 5 });
  const run = await ledger.start(evil, input.list as never);
  await expect(run.result()).rejects.toMatchObject({ code: "RUN_FAILED" });
  const { error } = await run.snapshot();
  expect(error).toMatchObject({ code: "EXPRESSION_FAILED", retryable: false });
  await (await ledger.start(good, input.list as never)).result();
});
