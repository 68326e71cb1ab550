// @module-tag D-24
import { expect, test } from "vitest";
import type { DbtEvent } from "./events.js";
import { FailingRows, selectTests, shownTests } from "./failing-rows.js";

const shown = (uniqueId: string, rows: unknown): DbtEvent => ({
  name: "ShowNode",
  level: "info",
  message: "",
  invocationId: "",
  data: { unique_id: uniqueId, preview: JSON.stringify(rows) },
});

const TESTS = ["test.shop.every_order_is_paid", "test.shop.unique_orders_id.b0904f19ee", "unit_test.shop.x.y"];

test("tests are selected by name, and nothing else", () => {
  const names = shownTests([...TESTS, "test.shop.a b", "test.shop.--full-refresh", "model.shop.orders"]);
  expect(names).toEqual(["every_order_is_paid", "unique_orders_id"]);
  expect(selectTests(names).slice(2)).toEqual([
    "--select",
    "every_order_is_paid,unique_orders_id",
    "every_order_is_paid,resource_type:test",
    "unique_orders_id,resource_type:test",
  ]);
  expect(selectTests(["a"]).slice(2)).toEqual(["--select", "a,resource_type:test"]);
  expect(shownTests(Array.from({ length: 500 }, (_, at) => `test.p.t${at}`))).toHaveLength(50);
});

test("rows become lines, long values are cut, and other events are ignored", () => {
  const rows = new FailingRows(TESTS, (uniqueId) => `step of ${uniqueId}`);
  rows.add(shown(TESTS[0]!, [{ order_id: 7, note: "x".repeat(5000), tags: ["a"] }]));
  rows.add(shown("test.shop.other", [{ order_id: 8 }]));
  rows.add({ ...shown(TESTS[0]!, [{ order_id: 9 }]), name: "LogTestResult" });
  rows.add({ ...shown(TESTS[0]!, []), data: { unique_id: TESTS[0]!, preview: "not JSON" } });
  const [line, end] = rows.text.split("\n");
  expect(end).toBe("");
  expect(JSON.parse(line!)).toEqual({
    step: `step of ${TESTS[0]}`,
    row: { order_id: 7, note: `${"x".repeat(1000)}…`, tags: ["a"] },
  });
});

test("the artifact stays small", () => {
  const rows = new FailingRows(TESTS, (uniqueId) => uniqueId);
  const wide = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`c${at}`, "x".repeat(900)]));
  for (let call = 0; call < 5; call++)
    rows.add(
      shown(
        TESTS[1]!,
        Array.from({ length: 200 }, () => wide),
      ),
    );
  expect(Buffer.byteLength(rows.text)).toBeLessThanOrEqual(256 * 1024);
  expect(rows.text.split("\n").length).toBeGreaterThan(3);
});
