// @module-tag D-21
/** The nodes that another attempt runs follow from the ledger. */
import type { StepRow } from "@runledger/contracts";
import { expect, test } from "vitest";
import { Manifest } from "./manifest.js";
import { plannedNodes, remainingNodes } from "./remaining.js";

const node = (kind: string, nodes: readonly string[], checksum = "c", materialized = "table") => ({
  resource_type: kind,
  depends_on: { nodes: [...nodes] },
  checksum: { checksum },
  config: { materialized },
});

const manifest = new Manifest({
  metadata: { invocation_id: "i1" },
  nodes: {
    "seed.a": node("seed", []),
    "model.hidden": node("model", ["seed.a"], "c", "ephemeral"),
    "model.b": node("model", ["model.hidden"]),
    "model.c": node("model", ["model.b"]),
    "test.c": node("test", ["model.c"], ""),
    "model.d": node("model", ["seed.a"]),
  },
});
const all = plannedNodes(manifest, ["source.x", ...manifest.nodes.keys()], "build");

function row(status: StepRow["status"], more: object = {}): StepRow {
  return { stepId: "", ordinal: 0, logicalAttemptId: "1", artifacts: [], status, ...more } as StepRow;
}
const done = row("SUCCESS", { opened: { inner: { kind: "model", after: [], checksum: "c" } } });
const failed = (retryable: boolean) => row("FAILED", { error: { code: "X", message: "", retryable } });
const remaining = (rows: Readonly<Record<string, StepRow>>) => remainingNodes(manifest, all, (name) => rows[name]);

test("a command runs nodes of its kinds, without ephemeral models", () => {
  expect(all).toEqual(["seed.a", "model.b", "model.c", "test.c", "model.d"]);
  expect(plannedNodes(manifest, all, "test")).toEqual(["test.c"]);
  expect(plannedNodes(manifest, all, "seed")).toEqual(["seed.a"]);
});

test("an ephemeral model is replaced by its own dependencies", () => {
  expect(manifest.parentsOf("model.b")).toEqual(["seed.a"]);
});

test("nodes that are done do not run again; interrupted, reset, skipped and unknown ones do", () => {
  const rows = { "seed.a": done, "model.b": row("RUNNING"), "model.c": row("PENDING"), "test.c": row("SKIPPED") };
  expect(remaining(rows)).toEqual({
    run: ["model.b", "model.c", "test.c", "model.d"],
    failed: [],
    blocked: [],
    hasHooks: false,
    done: 1,
  });
});

test("a node that failed for a passing reason runs again", () => {
  expect(remaining({ "seed.a": done, "model.b": failed(true) }).run).toContain("model.b");
});

test("a node that failed for a lasting reason keeps its result, and nothing below it runs", () => {
  const { run, failed: kept } = remaining({ "seed.a": done, "model.b": failed(false), "model.c": row("SKIPPED") });
  expect({ run, kept }).toEqual({ run: ["model.d"], kept: ["model.b"] });
});

test("a failing test blocks the nodes below what it tests, as dbt does", () => {
  const tested = new Manifest({
    nodes: {
      "model.a": node("model", []),
      "test.a": node("test", ["model.a"]),
      "model.b": node("model", ["model.a"]),
      "test.b": node("test", ["model.b"]),
      "model.c": node("model", []),
      "test.a_c": node("test", ["model.a", "model.c"]),
      "model.d": node("model", ["model.a", "model.c"]),
    },
  });
  expect([...tested.blockedBy(["test.a"])].toSorted()).toEqual(["model.b", "model.d", "test.b"]);
  expect([...tested.blockedBy(["test.a_c"])]).toEqual(["model.d"]); // model.b is not below both
  const rows: Record<string, StepRow> = { "model.a": done, "test.a": failed(false), "model.b": row("SKIPPED") };
  const left = remainingNodes(tested, [...tested.nodes.keys()], (name) => rows[name]);
  expect(left).toEqual({
    run: ["model.c", "test.a_c"],
    failed: ["test.a"],
    blocked: ["test.b", "model.d"],
    hasHooks: false,
    done: 1,
  });
});

test("a node that changed after it was done stops the run", { tags: ["D-22"] }, () => {
  const changed = row("SUCCESS", { opened: { inner: { kind: "seed", after: [], checksum: "other" } } });
  expect(() => remaining({ "seed.a": changed })).toThrow(
    expect.objectContaining({ code: "DBT_MANIFEST_MISMATCH" }) as Error,
  );
  expect(() => remaining({ "seed.a": done, "model.b": row("FAILED") })).not.toThrow();
});
