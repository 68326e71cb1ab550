// @module-tag L-29
import { test } from "vitest";
import { needTools } from "@runledger/test-support/requirements";
import { killOnlyProcesses, killOwners } from "./test-support/kill-repeatedly.js";

test("after kill -9 of the owner, ten times, an attached process takes over and no acknowledged row is lost", async (context) => {
  needTools(context, "setpriv"); // without it, the server of a killed owner stays
  await killOwners(10);
});

test("after kill -9 of the only process, ten times, its server ends and the next start has every acknowledged row", async (context) => {
  needTools(context, "setpriv"); // without it, the server of a killed owner stays
  await killOnlyProcesses(10);
});
