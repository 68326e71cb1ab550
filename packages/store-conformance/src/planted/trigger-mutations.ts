/** Faults in triggers, one per mutation. */
import type { Trigger, TriggerStore } from "@runledger/contracts";
import { overlay, type Mutation } from "./mutant.js";

const triggers =
  (change: (real: TriggerStore) => Partial<TriggerStore>): (() => Mutation) =>
  () => ({ store: (real) => ({ triggers: overlay(real.triggers!, change(real.triggers!)) }) });

const found = (change: (trigger: Trigger) => Trigger) =>
  triggers((real) => ({
    getTrigger: async (name) => {
      const trigger = await real.getTrigger(name);
      return trigger === null ? null : change(trigger);
    },
  }));

export const triggerMutations: Readonly<Record<string, () => Mutation>> = {
  "the filter of a trigger is lost": found(({ definition: { filter: _, ...definition }, ...trigger }) => ({
    ...trigger,
    definition,
  })),
  "tenants share triggers": triggers((real) => ({
    removeTrigger: (name) => real.removeTrigger({ ...name, tenantId: "acme" }),
  })),
  "a changed trigger keeps its version": triggers((real) => ({
    changeTrigger: async (name, definition) => {
      const trigger = await real.getTrigger(name);
      await real.changeTrigger(name, definition);
      return trigger && { ...trigger, definition };
    },
  })),
  "paused triggers are consumed": triggers((real) => ({ pauseTrigger: async (name) => real.getTrigger(name) })),
  "consumers get triggers of all sources": triggers((real) => ({
    listActive: (params) => real.listActive({ ...params, types: [...params.types, "webhook"] }),
  })),
  "reports are lost": triggers(() => ({ reportEvents: async () => {} })),
  "rejections repeat": found((trigger) => ({
    ...trigger,
    rejections: trigger.rejections.flatMap((each) => [each, each]).slice(0, trigger.rejections.length),
  })),
  "any name is a trigger's": triggers((real) => ({
    getTrigger: (name) => real.getTrigger({ ...name, triggerId: name.triggerId.replace("|", "") }),
  })),
  "an unavailable source is not reported": triggers(() => ({ reportSource: async () => {} })),
};
