// @module-tag U-32
/** The same as in `sizes.all.test.ts`, with a million events instead of 60,000. */
import { test } from "vitest";
import { rewindLongRun } from "./support/long-run.js";
import { site } from "./support/site.js";

const here = site([]);

test("a run of a million events is rewound without being downloaded", { timeout: 900_000 }, async () => {
  console.log(await rewindLongRun(here, 5000));
});
