import assert from "node:assert/strict";
import type { Json } from "@runledger/contracts";
import type { BusClause } from "../bus-clause.js";
import { eventAt, messageOf } from "../messages.js";

const payloads: readonly Json[] = [
  {},
  { text: 'é "quoted" \\ \n \u2028 🜁', empty: "", list: [], deep: [[[{ a: null }]]] },
  { numbers: [0, -1.5, 1e21, Number.MAX_SAFE_INTEGER], flags: [true, false], "a.b c": "\u0001" },
  { long: "x".repeat(100_000) },
];

export const exactEvents: BusClause = {
  name: "exact events",
  needs: [],
  tests: {
    "an event arrives with all attributes and its exact data": async ({ publish, placesOf, under }) => {
      const events = payloads.map((data, n) => eventAt("run", n + 1, data));
      for (const event of events) await publish(messageOf(event));
      await placesOf(["run"], events.length);
      assert.deepEqual(await under.received(), JSON.parse(JSON.stringify(events)));
    },
    "ids of runs may contain spaces, dots, slashes and wildcards": async ({ publish, placesOf }) => {
      const runIds = ["a.b", "a b", "a/b?c#d", "a*", "a>", "ü🜁", "a:b|c,d"];
      for (const runId of runIds) await publish(messageOf(eventAt(runId, 1)));
      const expected = Object.fromEntries(runIds.map((runId) => [runId, [1]]));
      assert.deepEqual(await placesOf(runIds, runIds.length), expected);
    },
  },
};
