import type { Definition, DefinitionBody, DefinitionStep } from "./definition.js";

/** A step and its position. */
export interface LocatedStep {
  readonly step: DefinitionStep;
  readonly path: string;
  /**
   * The bodies around it, outermost first. Two steps see each other if the bodies of one start with those of the other.
   */
  readonly bodies: readonly DefinitionBody[];
  /** The containers around it, outermost first. */
  readonly containers: readonly DefinitionStep[];
}

/** Returns every step of a definition, including those in containers, in the order of the source. */
export function locateSteps(definition: Definition): LocatedStep[] {
  const { body, onFailure } = definition;
  const steps = stepsOf(body, [], []);
  return onFailure === undefined
    ? steps
    : [...steps, { step: onFailure, path: onFailure.id, bodies: [body], containers: [] }];
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
