/** What undoes a step is a step of its own, named after it (D8). */
export const UNDO = "compensate/";

/**
 * Steps inside containers are named `container/index/step` (K3). A *prefix* is where a body's steps are: empty for the
 * run's own, `tables/3/` for the fourth pass through `tables`.
 */
export function prefixOf(containerId: string, index: number): string {
  return `${containerId}/${index}/`;
}

/** The id of what `path` names, seen from the steps at `prefix`: the containers they share have the same indexes. */
export function instanceId(path: string, prefix: string): string {
  const names = path.split("/");
  const shared = prefix.split("/").slice(0, 2 * (names.length - 1));
  return [...shared, ...names.slice(-1)].join("/");
}

/** `tables/3/analyze` stands at `tables/analyze` in the plan, and so does what undoes it. */
export function pathOf(stepId: string): string {
  const names = (stepId.startsWith(UNDO) ? stepId.slice(UNDO.length) : stepId).split("/");
  return names.filter((_, place) => place % 2 === 0).join("/");
}

/** The containers around a step, and the passes through them, innermost first. */
export function idsAround(stepId: string): string[] {
  const names = stepId.split("/");
  return names.slice(1).map((_, depth) => names.slice(0, names.length - 1 - depth).join("/"));
}
