/** What `sizes.all.test.ts` shows with 60,000 events, with a million. */
import { test } from "vitest";
import { rewindLongRun } from "./support/long-run.js";
import { site } from "./support/site.js";

const here = site([]);

test("[U-32] a run of a million events is rewound without being downloaded", { timeout: 900_000 }, async () => {
  console.log(await rewindLongRun(here, 5000));
});
