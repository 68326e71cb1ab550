import type { DefinitionStep, StepRef } from "./definition.js";

/** A reference from a step to another one: `needs.extract` or `after[0]`. */
export interface Reference {
  readonly at: string;
  readonly to: StepRef;
}

export function referencesOf({ needs = {}, after = [] }: DefinitionStep): Reference[] {
  return [
    ...Object.entries(needs).map(([name, to]) => ({ at: `needs.${name}`, to })),
    ...after.map((to, index) => ({ at: `after[${index}]`, to })),
  ];
}
