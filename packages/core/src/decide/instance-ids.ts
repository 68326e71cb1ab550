/** Prefix of the step that compensates another step (D8). */
export const UNDO = "compensate/";

/**
 * Steps inside containers have ids of the form `container/index/step` (K3). A *prefix* locates the steps of a body: it
 * is empty for the run's own steps and `tables/3/` for the fourth pass of `tables`.
 */
export function prefixOf(containerId: string, index: number): string {
  return `${containerId}/${index}/`;
}

/** Returns the id of the step at `path`, as seen from steps at `prefix`. Shared containers have the same indexes. */
export function instanceId(path: string, prefix: string): string {
  const names = path.split("/");
  const shared = prefix.split("/").slice(0, 2 * (names.length - 1));
  return [...shared, ...names.slice(-1)].join("/");
}

/** `tables/3/analyze` has the path `tables/analyze` in the plan. The step that compensates it has the same path. */
export function pathOf(stepId: string): string {
  const names = (stepId.startsWith(UNDO) ? stepId.slice(UNDO.length) : stepId).split("/");
  return names.filter((_, place) => place % 2 === 0).join("/");
}

/** Returns the containers around a step and their passes, innermost first. */
export function idsAround(stepId: string): string[] {
  const names = stepId.split("/");
  return names.slice(1).map((_, depth) => names.slice(0, names.length - 1 - depth).join("/"));
}
