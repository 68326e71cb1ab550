import type { Plan } from "@runledger/contracts";
import { idsAround } from "./instance-ids.js";
import { indexPlan } from "./plan-index.js";

/** Maps steps to the containers, by path, that contain a step waiting for them from outside their own container. */
export function watchers(plan: Plan): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const [path, { needs, after }] of indexPlan(plan)) {
    for (const target of [...Object.values(needs), ...after]) {
      const around = idsAround(path).filter((container) => !target.startsWith(`${container}/`));
      for (const container of around) found.set(target, (found.get(target) ?? new Set()).add(container));
    }
  }
  return found;
}
