/** Faults in plans, one per mutation. */
import type { Plan, PlanNotes, Plans } from "@runledger/contracts";
import { overlay, type Mutation } from "./mutant.js";

const plans = (change: (real: Plans) => Partial<Plans>): Mutation => ({
  store: (real) => ({ plans: overlay(real.plans!, change(real.plans!)) }),
});

export const planMutations: Readonly<Record<string, () => Mutation>> = {
  "the last plan wins": () => {
    const last = new Map<string, Plan>();
    return plans((real) => ({
      registerPlan: async (plan) => {
        last.set(plan.planId + plan.planVersion, plan);
        await real.registerPlan(plan).catch(() => {});
      },
      loadPlan: async ({ planId, planVersion }) => last.get(planId + planVersion) ?? null,
    }));
  },
  "versions are not distinguished": () =>
    plans((real) => ({
      loadPlan: async (ref) => {
        const [first] = await real.listPlans({ planId: ref.planId });
        return first === undefined ? null : real.loadPlan(first);
      },
    })),
  "plans are listed as they came": () => {
    const order: string[] = [];
    return plans((real) => ({
      registerPlan: async (plan) => {
        await real.registerPlan(plan);
        order.push(plan.planVersion);
      },
      listPlans: async (params) => {
        const listed = await real.listPlans(params);
        return listed.sort((a, b) => order.indexOf(a.planVersion) - order.indexOf(b.planVersion));
      },
    }));
  },
  "any name is a plan's": () =>
    plans((real) => ({
      registerPlan: (plan) => real.registerPlan({ ...plan, planId: plan.planId === "" ? "x" : plan.planId }),
    })),
  "notes are lost": () => plans(() => ({ loadNotes: async () => ({}) })),
  "notes of a refused plan are kept": () => {
    const last = new Map<string, PlanNotes>();
    return plans((real) => ({
      registerPlan: (plan, notes) => {
        last.set(plan.planId + plan.planVersion, { ...last.get(plan.planId + plan.planVersion), ...notes });
        return real.registerPlan(plan, notes);
      },
      loadNotes: async ({ planId, planVersion }) => last.get(planId + planVersion) ?? {},
    }));
  },
  "every plan has a source": () =>
    plans((real) => ({
      listPlans: async (params) => {
        const listed = await real.listPlans({ ...params, withSource: false });
        return listed.map((plan) => ({ ...plan, hasSource: true }));
      },
    })),
  "unserved plans are not reported": () => plans(() => ({ listUnserved: async () => [] })),
  "served plans are reported, too": () => ({
    store: (real) => ({
      plans: overlay(real.plans!, {
        listUnserved: async () => {
          const unserved = await real.plans!.listUnserved();
          return unserved.length > 0
            ? unserved
            : [{ planId: "p", planVersion: "1", logFormat: 1, missing: "plan", openRuns: 1 }];
        },
      }),
    }),
  }),
};
