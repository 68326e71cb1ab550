// @module-tag D-11
/** More secrets, dbt, all commands and the console. The last tests turn a part of the redaction off. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { inRepository } from "../../scripts/lib/repository.mjs";
import { requireBrowser } from "@runledger/test-support/browser";
import { dbtProgram, requireDbt } from "@runledger/test-support/dbt";
import { describeWith } from "@runledger/test-support/requirements";
import { freshFolder, freshProject } from "@runledger/test-support/runledger-command";
import { expect, test } from "vitest";
import { leak } from "./leaky-run.js";
import { leaksOf, placesOf, untouchedPlaces, type Places } from "./left-behind.js";
import { pagesOf } from "./pages.js";
import { plantedSecrets } from "./planted.js";

const SEED = Number(process.env["RUNLEDGER_SECRETS_SEED"] ?? 101);

/** Models that log the secret, store it, and fail with it. */
const DBT_PROJECT = {
  "dbt_project.yml": `name: leaky\nversion: "1.0"\nconfig-version: 2\nprofile: leaky\nflags: { send_anonymous_usage_stats: false }\n`,
  "profiles.yml": `leaky: { target: dev, outputs: { dev: { type: duckdb, path: ":memory:", threads: 1 } } }\n`,
  "models/stored.sql": `{{ log("logged " ~ env_var("P"), info=true) }}{{ exceptions.warn(env_var("P")) }}
select '{{ env_var("P") | replace("'", "''") }}' as stored\n`,
  "models/broken.sql": `select {{ env_var("P") }} from nowhere\n`,
  "tests/fails.sql": `select * from {{ ref("stored") }} -- {{ env_var("P") | replace("\\n", " ") }}\n`,
};

describeWith("with dbt and the console", [...requireDbt, requireBrowser], () => {
  test("no place has a secret that steps have leaked", async () => {
    const secrets = plantedSecrets(SEED, 3);
    const variables = { DBT_PROJECT: freshProject(DBT_PROJECT), DBT_PROGRAM: await dbtProgram() };
    const run = await leak({ secrets, variables });
    const places = { ...(await placesOf(run, { all: true })), ...(await pagesOf(run)) };
    expect(leaksOf(places, secrets), JSON.stringify(secrets)).toEqual([]);
    expect(untouchedPlaces(places, secrets)).toEqual([]);
    const ofDbt = Object.keys(places).filter((place) => place.startsWith("dbt-") || place.startsWith("log of dbt"));
    expect(ofDbt.length).toBeGreaterThanOrEqual(3);
    for (const place of ["log of dbt1", "dbt-compiled-sql of dbt1", "page of the run"])
      expect(textOf(places, place), place).toMatch(/\[secret planted-\d\]/);
  });
});

function textOf(places: Places, prefix: string): string {
  const found = Object.entries(places).filter(([name]) => name.startsWith(prefix));
  return found.map(([, text]) => text).join("\n");
}

/** A mistake in the redaction, and places where the search must find a secret because of it. */
const MISTAKES: readonly (readonly [name: string, file: string, code: string, places: readonly string[]])[] = [
  [
    "values are not redacted",
    "redactor.js",
    "module.Redactor.prototype.json = (value) => value",
    ["table runledger.run_events", "log of logs", "traces and metrics", "GET /runs/"],
  ],
  [
    "texts in pieces are not redacted",
    "redactor.js",
    "Object.assign(module.RedactedStream.prototype, { push: (piece) => piece, end: () => '' })",
    ["table runledger.artifact_chunks", "pieces of writes"],
  ],
  [
    "lines are redacted one by one",
    "redacted-lines.js",
    "Object.assign(module.RedactedLines.prototype, { push: (line) => [line], end: () => [] })",
    ["lines of log of logs"],
  ],
];

test.each(MISTAKES)("the search finds a secret if %s", async (_, file, code, expected) => {
  const path = pathToFileURL(inRepository(`packages/runtime/dist/engine/${file}`)).href;
  const patch = join(freshFolder(), "patch.mjs");
  writeFileSync(patch, `import * as module from ${JSON.stringify(path)};\n${code};\n`);
  const secrets = plantedSecrets(SEED, 1);
  const run = await leak({ secrets, variables: { NODE_OPTIONS: `--import=${pathToFileURL(patch).href}` } });
  const found = leaksOf(await placesOf(run), secrets);
  for (const place of expected)
    expect(
      found.some((each) => each.includes(` in ${place}`)),
      place,
    ).toBe(true);
});
