/** The secrets that a plan names. Code that calls `ctx.secrets.get` may use others. */
import type { Plan } from "@runledger/contracts";

const SETTINGS = ["env", "headers"] as const;

/** Returns the names in the literal references of all steps, sorted. */
export function secretsOfPlan(plan: Plan): string[] {
  const names = new Set<string>();
  collect(plan.body, names);
  return [...names].sort();
}

function collect(value: unknown, names: Set<string>): void {
  if (typeof value !== "object" || value === null) return;
  for (const setting of SETTINGS) collectReferences((value as Record<string, unknown>)[setting], names);
  for (const part of Object.values(value)) collect(part, names);
}

function collectReferences(settings: unknown, names: Set<string>): void {
  if (typeof settings !== "object" || settings === null) return;
  for (const setting of Object.values(settings) as unknown[]) {
    const { secret } = (setting ?? {}) as { readonly secret?: unknown };
    if (typeof secret === "string") names.add(secret);
  }
}
