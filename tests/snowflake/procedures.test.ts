/** What Snowflake is given to run is what is in the sources, and its fold is the fold. Nothing here needs the emulator. */
import { toRunSnapshot, evolveAll, initialState } from "@runledger/core";
import { expect, test } from "vitest";
import { inRepository } from "../../scripts/lib/repository.mjs";
import { proceduresSql } from "../../scripts/lib/snowflake-procedures.mjs";
import { histories } from "../support/histories.js";
import { callProcedure, definitionOf } from "./procedure-host.js";
import { eventRow } from "./event-row.js";

test.each(["hybrid", "standard"] as const)(
  "[S-06] the procedures for %s tables are generated from core",
  async (shape) => {
    const file = inRepository(`packages/store-snowflake/migrations/0003-procedures.${shape}.sql`);
    await expect(await proceduresSql(shape)).toMatchFileSnapshot(file);
  },
);

test("[S-06] PROJECT_SNAPSHOT gives the snapshot that the fold gives, for every recorded history", async () => {
  const project = definitionOf("PROJECT_SNAPSHOT", "hybrid");
  for (const { name, events } of histories) {
    const rows = events.map(eventRow).toReversed(); // whatever order ARRAY_AGG has them in
    const { result, error } = await callProcedure("", project, [rows]);
    expect(error, name).toBeUndefined();
    const folded = toRunSnapshot(evolveAll(initialState(events[0]!.runId), events));
    expect(result, name).toEqual(JSON.parse(JSON.stringify(folded)));
  }
  expect((await callProcedure("", project, [[]])).result).toBeNull();
});
