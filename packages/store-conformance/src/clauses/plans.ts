import assert from "node:assert/strict";
import { omitUndefined, type Plan, type PlanRef, type PublishedPlan } from "@runledger/contracts";
import { clause } from "../clause.js";
import { refused, refusedInput } from "../support/refused.js";

/** A minimal plan; `content` stands for its steps. */
function planOf(planId: string, planVersion: string, content = "a"): Plan {
  const step = { id: "load", kind: "function", needs: {}, after: [], options: { content, "a key": [1, null, "é"] } };
  return {
    planId,
    planVersion,
    hash: content.repeat(64),
    body: { steps: [step], output: "load" },
    deadlineMs: null,
    approval: false,
  };
}

const names = (plans: readonly PlanRef[]): string[] => plans.map((plan) => `${plan.planId}@${plan.planVersion}`);

/** D7: the content of a plan id and version never changes and can be read back. */
export const plans = clause("plans", ["plans"], {
  "D7: a published plan is read back as it was, and an unknown one is not there": async ({ store, another }) => {
    const plan = planOf("nightly", "1.4.0");
    await store.plans.registerPlan(plan);
    assert.deepEqual(await (await another()).plans!.loadPlan({ planId: "nightly", planVersion: "1.4.0" }), plan);
    assert.equal(await store.plans.loadPlan({ planId: "nightly", planVersion: "1.5.0" }), null);
    assert.equal(await store.plans.loadPlan({ planId: "weekly", planVersion: "1.4.0" }), null);
  },

  "D7: the same plan again changes nothing, another under its version is refused": async ({ store }) => {
    const plan = planOf("nightly", "1");
    await store.plans.registerPlan(plan);
    const before = await store.plans.listPlans();
    await store.plans.registerPlan(plan);
    await refused(store.plans.registerPlan(planOf("nightly", "1", "b")), "PLAN_VERSION_TAKEN");
    assert.deepEqual(await store.plans.listPlans(), before);
    assert.deepEqual(await store.plans.loadPlan(plan), plan);
  },

  "D7: of two that publish at once, one wins": async ({ store, another }) => {
    const handles = [store, await another()];
    const both = ["a", "b"].map((content, index) => handles[index]!.plans!.registerPlan(planOf("race", "1", content)));
    const outcomes = await Promise.allSettled(both);
    assert.deepEqual(outcomes.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
  },

  "notes are not part of a plan: a later value replaces an earlier one, field by field": async ({ store, another }) => {
    const plan = planOf("noted", "1");
    await store.plans.registerPlan(plan);
    assert.deepEqual(await store.plans.loadNotes(plan), {});
    await store.plans.registerPlan(plan, { inputSchema: { type: "string" }, source: "é: 1" });
    await store.plans.registerPlan(plan, { inputSchema: null, signalSchemas: { go: { type: "number" } } });
    await store.plans.registerPlan(plan);
    const noted = { inputSchema: null, signalSchemas: { go: { type: "number" } }, source: "é: 1" };
    assert.deepEqual(await (await another()).plans!.loadNotes(plan), noted);
    await refused(store.plans.registerPlan(planOf("noted", "1", "b"), { source: "other" }), "PLAN_VERSION_TAKEN");
    assert.deepEqual(await store.plans.loadNotes(plan), noted);
    assert.deepEqual(await store.plans.loadNotes({ planId: "noted", planVersion: "2" }), {});
    assert.deepEqual(await store.plans.loadPlan(plan), plan);
    await refusedInput(store.plans.registerPlan(plan, { source: "\u0000" }), "PAYLOAD_NOT_JSON", "notes.source");
  },

  "plans that were published as text can be listed alone": async ({ store }) => {
    for (const name of ["a@1", "b@1", "b@2", "c@1"]) {
      const plan = planOf(...(name.split("@") as [string, string]));
      await store.plans.registerPlan(plan, name.startsWith("b") ? { source: name } : { inputSchema: null });
    }
    assert.deepEqual(names(await store.plans.listPlans({ withSource: true })), ["b@1", "b@2"]);
    assert.deepEqual(names(await store.plans.listPlans({ withSource: true, planId: "c" })), []);
    assert.deepEqual(names(await store.plans.listPlans({ withSource: true, limit: 1 })), ["b@1"]);
    const all = await store.plans.listPlans();
    assert.deepEqual(
      all.map(({ hasSource }) => hasSource),
      [false, true, true, false],
    );
  },

  "D7: published plans are listed by id and version, with hash and time, page by page": async ({ store }) => {
    const before = Date.now() - 60_000;
    for (const name of ["b@2", "a@1", "b@10", "B@1", "b@1"]) {
      await store.plans.registerPlan(planOf(...(name.split("@") as [string, string])));
    }
    const all = await store.plans.listPlans();
    assert.deepEqual(names(all), ["B@1", "a@1", "b@1", "b@10", "b@2"]);
    assert.ok(all.every(({ hash, publishedAt }) => hash === "a".repeat(64) && Date.parse(publishedAt) > before));
    assert.deepEqual(names(await store.plans.listPlans({ planId: "b" })), ["b@1", "b@10", "b@2"]);
    const pages: PublishedPlan[] = [];
    for (let after: PublishedPlan | undefined; pages.length < 5; after = pages.at(-1)) {
      pages.push(...(await store.plans.listPlans({ limit: 2, ...omitUndefined({ after }) })));
    }
    assert.deepEqual(pages, all);
    assert.deepEqual(await store.plans.listPlans({ after: all.at(-1)! }), []);
  },

  "K3: ids of plans are identifiers, a page has at least one": async ({ store }) => {
    await refusedInput(store.plans.registerPlan(planOf("", "1")), "IDENTIFIER_INVALID", "planId");
    await refusedInput(store.plans.loadPlan({ planId: "a", planVersion: "1|2" }), "IDENTIFIER_INVALID", "planVersion");
    await refusedInput(store.plans.listPlans({ planId: "a\u0000" }), "IDENTIFIER_INVALID", "planId");
    await refusedInput(store.plans.listPlans({ limit: 0 }), "OPTION_INVALID", "limit");
    assert.deepEqual(await store.plans.listPlans(), []);
  },
});
