import { filesBelow } from "./repository.mjs";

/** Recorded runs of every log format. Histories of other systems are in folders of their own. */
export const historyFiles = filesBelow("tests/histories").filter((path) => /\/format-\d+\/.*\.json$/.test(path));
