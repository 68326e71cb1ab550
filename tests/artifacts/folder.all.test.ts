// @module-tag D-01
import { describe } from "vitest";
import { abandonedParts } from "./conformance/abandoned.js";
import { folderLocation } from "./conformance/folder-location.js";
import { opened } from "./conformance/location.js";
import { flatMemory } from "./conformance/memory.js";

/** The clauses of the suite that start processes. `npm test` has the others. */
describe("artifacts in a folder", () => {
  const location = folderLocation();
  abandonedParts(opened(location), location);
  flatMemory(location, 1024 * 1024 * 1024);
});
