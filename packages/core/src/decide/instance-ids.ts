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
  return [...shared, names.at(-1)].join("/");
}

/** `tables/3/analyze` stands at `tables/analyze` in the plan. */
export function pathOf(stepId: string): string {
  return stepId
    .split("/")
    .filter((_, place) => place % 2 === 0)
    .join("/");
}
