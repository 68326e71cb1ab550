// @module-tag R-07
/** Start keys (Q1): test vectors of the formula, and requests that are refused. */
import { sha256Hex } from "@runledger/contracts";
import { MemoryStore } from "@runledger/store-memory";
import { expect, onTestFinished, test } from "vitest";
import { Ledger } from "../ledger/ledger.js";
import { interceptStore } from "../testing/intercept-store.js";
import { workflow } from "../workflow/workflow.js";
import { dedupeKeyOf, inputHashOf, isSameInput, startKeyOf } from "./start-key.js";

const flow = workflow("nightly", { version: "1.4.0" }, (w) => w.step("only", () => 1));
const request = {
  tenantId: "acme",
  projectId: "web",
  environmentId: "prod",
  planId: "nightly",
  planVersion: "1.4.0",
  requestId: "request-001",
};

/** Records the keys that reach the store. */
function open(): { readonly ledger: Ledger; readonly sent: Record<string, unknown>[] } {
  const sent: Record<string, unknown>[] = [];
  const store = interceptStore(new MemoryStore(), ({ name, args, proceed }) => {
    if (name === "queue.startRun") sent.push(args[0] as Record<string, unknown>);
    return proceed();
  });
  const ledger = new Ledger(store, async () => {});
  onTestFinished(() => ledger.close());
  return { ledger, sent };
}

test("Q1: the start key is the SHA-256 of the specified text", () => {
  expect(startKeyOf(request)).toBe("d21049a75420ed755d7184b5ce31f50b26142bf945ba1b766b2996924d41e0d9");
  expect(startKeyOf(request)).toBe(sha256Hex("acme|web|prod|nightly|1.4.0|request-001"));
  expect(startKeyOf({ ...request, tenantId: "münchen", requestId: "日次" })).toBe(
    "23ef902b4c60de3dc8a7b5df6bd6b158d60101bacc43ad23b77b393293537b9e",
  );
  expect(dedupeKeyOf(request)).toBe("6fe1c055b7dc0eaba4e2d3344b995abe634d113cbc88c4616bd2761085c8086a");
});

test("Q1: a start sends these keys, with `default` for what the caller leaves out", async () => {
  const { ledger, sent } = open();
  const { tenantId, projectId, environmentId, requestId } = request;
  await ledger.start(flow, { tenantId, projectId, environmentId, requestId, dedupe: "workflow" });
  await ledger.start(flow, { requestId });
  expect(sent[0]).toMatchObject({ startKey: startKeyOf(request), dedupeKey: dedupeKeyOf(request) });
  expect(sent[1]!["startKey"]).toBe(sha256Hex("default|default|default|nightly|1.4.0|request-001"));
});

test.each(["tenantId", "projectId", "environmentId", "requestId"])(
  "K3: a start whose %s contains the separator of the key is refused, and nothing is sent",
  async (field) => {
    const { ledger, sent } = open();
    for (const value of ["a|b", "", "line\nbreak", "x".repeat(256)]) {
      const started = ledger.start(flow, { [field]: value });
      await expect(started).rejects.toMatchObject({ code: "IDENTIFIER_INVALID", field });
    }
    expect(sent).toEqual([]);
  },
);

test("the same request with its input's keys in another order returns the same run", async () => {
  const { ledger } = open();
  const start = (input: object) => ledger.start(flow, { requestId: "same", input: input as never });
  const first = await start({ a: 1, b: { c: [1, { d: 2, e: 3 }], f: null } });
  const second = await start({ b: { f: null, c: [1, { e: 3, d: 2 }] }, a: 1 });
  expect(second.id).toBe(first.id);
  for (const other of [
    { a: 1, b: { c: [{ d: 2, e: 3 }, 1], f: null } },
    { a: 1, b: { c: [1], f: null } },
  ])
    await expect(start(other)).rejects.toMatchObject({ code: "REQUEST_CHANGED" });
});

test("a hash that an earlier version stored is still the same request's", () => {
  const data = { b: 1, a: 2 };
  expect(isSameInput(sha256Hex(JSON.stringify(data)), data)).toBe(true);
  expect(isSameInput(inputHashOf({ a: 2, b: 1 }), data)).toBe(true);
  expect(isSameInput(inputHashOf({ a: 2, b: 2 }), data)).toBe(false);
});
