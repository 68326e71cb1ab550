/** A dbt project of 60 nodes, with a failing model, a failing test, a warning and the nodes that they block. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { inRepository } from "../../../scripts/lib/repository.mjs";
import { sixtyNodes } from "../../../scripts/lib/sixty-nodes.mjs";
import { writeFiles } from "./runledger-command.js";

/** Writes the project into a folder of the test. */
export function sixtyNodeProject(): string {
  const folder = mkdtempSync(join(tmpdir(), "sixty-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const profiles = readFileSync(inRepository("examples/dbt-shop/shop/profiles.yml"), "utf8");
  writeFiles(folder, { ...sixtyNodes(), ...FAULTS, "profiles.yml": profiles });
  return folder;
}

/** Removes the faults, as an author would before a retry. */
export function repair(folder: string): void {
  const sound = sixtyNodes();
  writeFiles(folder, Object.fromEntries(Object.keys(FAULTS).map((name) => [name, sound[name]!])));
}

/** mart_3 fails, so top_0 is skipped. The test of mart_8 fails, so top_1 is skipped. */
const FAULTS = {
  "models/mart_3.sql": "select no_such_column from {{ ref('stg_3') }}",
  "tests/mart_8_is_small.sql": "select * from {{ ref('mart_8') }}",
};
