// @module-tag S-06
/** The procedures match the sources, and their fold is the fold. No test here needs the emulator. */
import { toRunSnapshot, evolveAll, initialState } from "@runledger/core";
import { expect, test } from "vitest";
import { inRepository } from "../../../scripts/lib/repository.mjs";
import { proceduresSql } from "../../../scripts/lib/snowflake-procedures.mjs";
import { histories } from "@runledger/test-support/histories";
import { callProcedure, definitionOf } from "./procedure-host.js";
import { eventRow } from "./event-row.js";

test.each(["hybrid", "standard"] as const)("the procedures for %s tables are generated from core", async (shape) => {
  const file = inRepository(`packages/store-snowflake/migrations/0003-procedures.${shape}.sql`);
  await expect(await proceduresSql(shape)).toMatchFileSnapshot(file);
});

test("PROJECT_SNAPSHOT returns the snapshot of the fold for every recorded history", async () => {
  const project = definitionOf("PROJECT_SNAPSHOT", "hybrid");
  for (const { name, events } of histories) {
    const rows = events.map(eventRow).toReversed(); // ARRAY_AGG may return them in any order
    const { result, error } = await callProcedure("", project, [rows]);
    expect(error, name).toBeUndefined();
    const folded = toRunSnapshot(evolveAll(initialState(events[0]!.runId), events));
    expect(result, name).toEqual(JSON.parse(JSON.stringify(folded)));
  }
  expect((await callProcedure("", project, [[]])).result).toBeNull();
});
