import type { Definition, DefinitionBody, DefinitionStep } from "./definition.js";

/** A step and where it stands. */
export interface LocatedStep {
  readonly step: DefinitionStep;
  readonly path: string;
  /** The bodies around it, outermost first; two steps see each other if one's bodies begin with the other's. */
  readonly bodies: readonly DefinitionBody[];
  /** The containers around it, outermost first. */
  readonly containers: readonly DefinitionStep[];
}

/** Every step of a definition, those in containers included, in the order in which they were written. */
export function locateSteps(definition: Definition): LocatedStep[] {
  return stepsOf(definition.body, [], []);
}

function stepsOf(
  body: DefinitionBody,
  bodies: readonly DefinitionBody[],
  containers: readonly DefinitionStep[],
): LocatedStep[] {
  const around = [...bodies, body];
  return body.steps.flatMap((step) => [
    { step, path: [...containers, step].map(({ id }) => id).join("/"), bodies: around, containers },
    ...(step.bodies ?? []).flatMap((inner) => stepsOf(inner, around, [...containers, step])),
  ]);
}
