// @module-tag B-03
import type { Subscription } from "@runledger/client";
import { expect, test } from "vitest";
import { draftOf, EMPTY_DRAFT, problemOf, requestOf } from "./subscription-form.js";

const webhook = {
  bus: { type: "webhook", url: "https://example.com/hook", secrets: ["old", "new"], batchSize: 20 },
  filter: { workflows: ["orders"], eventTypes: ["RunCompleted", "RunFailed"], labels: { team: "a=b" } },
  maxAttempts: 5,
};

test("a subscription that is opened and saved stays the same", () => {
  const other = { bus: { type: "kafka", topic: "runs" }, filter: {}, maxAttempts: 20 };
  const bus = { type: "openlineage", url: "https://lineage.example.com", namespace: "prod", secret: "lineage-key" };
  for (const each of [webhook, other, { ...other, bus }])
    expect(requestOf(draftOf({ subscriptionId: "s", ...each } as unknown as Subscription))).toEqual(each);
});

test("empty fields select everything, and wrong ones are explained", () => {
  const draft = { ...EMPTY_DRAFT, id: "s", url: "https://example.com" };
  expect(requestOf(draft, "beginning")).toEqual({
    bus: { type: "webhook", url: "https://example.com", batchSize: 1 },
    filter: {},
    maxAttempts: 20,
    from: "beginning",
  });
  expect(problemOf(draft)).toBeNull();
  expect(problemOf({ ...draft, labels: "team" })).toBe("team is not a label. Use name=value.");
  expect(problemOf({ ...draft, bus: "other", settings: "{" })).toContain("not valid JSON");
  expect(problemOf({ ...draft, bus: "other", settings: "{}" })).toContain("need the type of the bus");
});
