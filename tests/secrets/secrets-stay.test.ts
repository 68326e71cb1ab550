// @module-tag D-11
/** A worker whose steps leak their secrets leaves none of them anywhere. `secrets-stay.all.test.ts` looks at more places. */
import { expect, test } from "vitest";
import { leak } from "./leaky-run.js";
import { leaksOf, placesOf, untouchedPlaces } from "./left-behind.js";
import { plantedSecrets } from "./planted.js";

test("no row, artifact, log, trace, answer or process has a secret that steps have leaked", async () => {
  const secrets = plantedSecrets(Number(process.env["RUNLEDGER_SECRETS_SEED"] ?? 1), 2);
  const places = await placesOf(await leak({ secrets }));
  expect(leaksOf(places, secrets), JSON.stringify(secrets)).toEqual([]);
  expect(untouchedPlaces(places, secrets)).toEqual([]);
});
