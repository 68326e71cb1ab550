import { relative } from "node:path";
import { BaseSequencer } from "vitest/node";
import { root } from "./lib/repository.mjs";

/** Folders whose files take longest, the longest first. */
const SLOW = [
  "packages/store-snowflake/tests",
  "tests/chaos",
  "tests/simulation",
  "tests/model",
  "tests/console",
  "tests/journeys",
  "tests",
];

/**
 * Starts slow files first, so that no core waits for one at the end. Files of one project stay together: vitest keeps a
 * shared process only while the next file belongs to the same project.
 */
export class SlowFoldersFirst extends BaseSequencer {
  /** @override @param {import("vitest/node").TestSpecification[]} files */
  async sort(files) {
    const sorted = await super.sort(files);
    return sorted.sort((a, b) => a.project.name.localeCompare(b.project.name) || rank(a) - rank(b));
  }
}

/** @param {import("vitest/node").TestSpecification} file */
function rank(file) {
  const path = relative(root, file.moduleId);
  const place = SLOW.findIndex((folder) => path.startsWith(`${folder}/`));
  return place === -1 ? SLOW.length : place;
}
