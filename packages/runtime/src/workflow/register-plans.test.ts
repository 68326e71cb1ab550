// @module-tag E-03
/** D7: a published version never changes. Tested on both stores, through workers. */
import { compilePlan } from "@runledger/core";
import type { FullStateStore, Plan } from "@runledger/contracts";
import { MemoryStore } from "@runledger/store-memory";
import { PostgresStore } from "@runledger/store-postgres";
import { workflow, type Ledger } from "../index.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freshDatabase } from "@runledger/test-support/fresh-database";
import { Ledger as OpenLedger } from "../ledger/ledger.js";
import { interceptStore } from "../testing/intercept-store.js";
import { compiledOf } from "./compiled-workflow.js";

const homes: Readonly<Record<string, () => Promise<FullStateStore>>> = {
  memory: async () => new MemoryStore(),
  postgres: async () => PostgresStore.open({ url: (await freshDatabase()).url }),
};

const planWith = (timeout: "1m" | "2m", version = "1"): Plan =>
  compilePlan({ id: "nightly", version, body: { steps: [{ id: "load", kind: "function", timeout }] } });

describe.each(Object.keys(homes))("plans in the %s store", (name) => {
  let store: FullStateStore;
  let ledger: Ledger;
  beforeAll(async () => {
    store = await homes[name]!();
    ledger = new OpenLedger(store, async () => {});
  });
  afterAll(() => ledger.close());

  test("D7: equal content can be registered repeatedly and concurrently", async () => {
    await Promise.all(Array.from({ length: 8 }, () => store.plans.registerPlan(planWith("1m"))));
    await store.plans.registerPlan(planWith("2m", "2"));
    const ref = (planVersion: string) => ({ planId: "nightly", planVersion });
    const stored = await Promise.all(["1", "2"].map((version) => store.plans.loadPlan(ref(version))));
    expect(stored.map((plan) => plan?.hash)).toEqual([planWith("1m").hash, planWith("2m", "2").hash]);
  });

  test("D7: other content under a published version is refused, and the published plan stays", async () => {
    const refusal = {
      code: "PLAN_VERSION_TAKEN",
      planId: "nightly",
      planVersion: "1",
      publishedHash: planWith("1m").hash,
    };
    await expect(store.plans.registerPlan(planWith("2m"))).rejects.toMatchObject(refusal);
    await expect(store.plans.registerPlan(planWith("2m"))).rejects.toMatchObject(refusal);
    await store.plans.registerPlan(planWith("1m"));
  });

  test("D7: of two concurrent publishers, one wins", async () => {
    const plans = [planWith("1m", "race"), planWith("2m", "race")];
    const outcomes = await Promise.allSettled(plans.map((plan) => store.plans.registerPlan(plan)));
    expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  });

  test("D7: a worker with other content under a published version does not start", async () => {
    const first = workflow("weekly", { version: "1" }, (w) => w.step("load", () => 1));
    const same = workflow("weekly", { version: "1" }, (w) => w.step("load", () => 2));
    const other = workflow("weekly", { version: "1" }, (w) => w.step("load", { timeout: "1m" }, () => 1));
    await ledger.worker({ workflows: [first] });
    await ledger.worker({ workflows: [same] }); // function bodies are not part of a plan
    await expect(ledger.worker({ workflows: [other] })).rejects.toMatchObject({ code: "PLAN_VERSION_TAKEN" });
  });

  test("D7: starting a run publishes its plan, once per process", async () => {
    const asked: string[] = [];
    const watched = interceptStore(store, ({ name: call, proceed }) => (asked.push(call), proceed()));
    const starter = new OpenLedger(watched, async () => {});
    const monthly = workflow("monthly", { version: "1" }, (w) => w.step("load", () => 1));
    const other = workflow("monthly", { version: "1" }, (w) => w.step("load", { timeout: "1m" }, () => 1));
    await Promise.all([starter.start(monthly), starter.start(monthly)]);
    await starter.start(monthly);
    expect(asked.filter((call) => call === "plans.registerPlan")).toHaveLength(1);
    const plan = await store.plans.loadPlan({ planId: "monthly", planVersion: "1" });
    expect(plan).toEqual(compiledOf(monthly).plan);
    await expect(starter.start(other)).rejects.toMatchObject({ code: "PLAN_VERSION_TAKEN" });
    await expect(starter.start(other)).rejects.toMatchObject({ code: "PLAN_VERSION_TAKEN" });
  });
});
