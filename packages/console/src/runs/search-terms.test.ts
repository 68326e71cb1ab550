// @module-tag R-30
import { expect, test } from "vitest";
import { readTerms, workflowNamed } from "./search-terms.js";

test("several terms are filters, statuses and words", () => {
  expect(readTerms("failed workflow:orders label:team:data label:env:prod timeout")).toEqual({
    filters: { status: "FAILED", workflow: "orders", labels: "team:data,env:prod" },
    words: ["timeout"],
  });
  expect(readTerms('error:"disk full" queued running')).toEqual({
    filters: { error: "disk full", status: "PENDING,RUNNING" },
    words: [],
  });
  expect(readTerms("http://10.0.0.7:5432 refused").words).toEqual(["http://10.0.0.7:5432", "refused"]);
});

test("a bare name finds a workflow if only one can be meant", () => {
  const names = ["nightly-orders", "order", "order-archive", "invoice-sync"];
  expect(workflowNamed("order", names)).toBe("order");
  expect(workflowNamed("Nightly", names)).toBe("nightly-orders");
  expect(workflowNamed("orde", names)).toBeUndefined();
  expect(workflowNamed("timeout", names)).toBeUndefined();
});
