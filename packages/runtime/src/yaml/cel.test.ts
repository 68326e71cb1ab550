// @module-tag E-02
import type { Json } from "@runledger/contracts";
import { describe, expect, test } from "vitest";
import { compileExpression, type Wanted } from "./cel.js";
import { toScope } from "./scope.js";

const visible = { needs: ["rows", "a-b"], more: ["item", "index"] };
const context = {
  input: { n: 5, f: 2.5, text: "x", list: [10, 20, 30], day: "2026-11-14", none: null },
  needs: { rows: [{ n: 1 }, { n: 2 }], "a-b": undefined },
  state: undefined,
  item: { name: "first" },
  index: 1,
};

async function evaluate(text: string, wanted: Wanted = "value"): Promise<Json> {
  return compileExpression(text, visible, wanted)(await toScope(context));
}

describe("expressions", () => {
  test.each<[string, Json]>([
    ["input.day", "2026-11-14"],
    ["input.n + 1", 6],
    ["1 + input.n", 6],
    ["input.n / 2", 2.5],
    ["input.n % 2", 1],
    ["input.f * 2 - 1", 4],
    ["input.f % 2.0", 0.5],
    ["index + 1", 2],
    ["input.list[index]", 20],
    ["size(input.list) > 2 && input.n == 5", true],
    ["needs.rows.filter(r, r.n > 1).map(r, r.n)", [2]],
    ['needs["a-b"] == null', true],
    ["state == null", true],
    ['has(input.missing) ? "some" : "none"', "none"],
    ["input.?missing.orValue(7)", 7],
    ['{"a": input.none, "b": [1, item.name, true]}', { a: null, b: [1, "first", true] }],
    ['timestamp("2026-01-01T00:00:00Z")', "2026-01-01T00:00:00.000Z"],
    ['"a" + string(input.n)', "a5"],
  ])("%s", async (text, expected) => {
    expect(await evaluate(text)).toEqual(expected);
  });

  test.each([
    ["input.text + 1", /no such overload/],
    ["input.missing", /No such key: missing/],
    ["9223372036854775807", /too large/],
    ["1.0 / 0.0", /not JSON/],
    ['b"bytes"', /not JSON/],
    ["needs", /not JSON/],
    ["input.constructor", /No such key/],
    ["input.__proto__", /No such key/],
  ])("%s fails during evaluation", async (text, message) => {
    await expect(evaluate(text)).rejects.toThrow(message);
  });

  test("an expression that takes too long is stopped", async () => {
    const list = `[${Array.from({ length: 60 }, (_, n) => n).join(", ")}]`;
    const nested = `${list}.map(a, ${list}.map(b, ${list}.map(c, ${list}.map(d, ${list}.map(e, a)))))`;
    await expect(evaluate(nested)).rejects.toThrow("exceeds the cost limit");
    expect(await evaluate("input.list.map(n, n + 1)")).toEqual([11, 21, 31]);
  });

  test("the result type is checked at compile time if it is known", () => {
    expect(() => compileExpression("1 + 1", visible, "condition")).toThrow(/returns int, not true or false/);
    expect(() => compileExpression('"a"', visible, "list")).toThrow(/returns string, not a list/);
    expect(() => compileExpression("[1]", visible, "list")).not.toThrow();
    expect(() => compileExpression("input.x", visible, "list")).not.toThrow();
  });

  test("the outputs of a forEach are lists, even nested", async () => {
    const items = (all: unknown[]) => ({
      toArray: async () => all,
      async *[Symbol.asyncIterator]() {
        yield* all;
      },
    });
    const scope = await toScope({ needs: { rows: items([items([1]), items([2, 3])]) } });
    expect(compileExpression("needs.rows[1]", visible, "value")(scope)).toEqual([2, 3]);
  });
});
