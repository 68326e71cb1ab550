// @module-tag R-10
/** Ties the version of the contract to its declarations: a change of events or ports raises it (VERSIONING.md). */
import { readFileSync, writeFileSync } from "node:fs";
import { CONTRACT_VERSION, idempotencyKey } from "@runledger/contracts";
import { expect, test } from "vitest";
import { inRepository, readJson } from "../../scripts/lib/repository.mjs";
import { isAtLeast, neededBump, versionAfter } from "./contract/needed-bump.js";
import { surfaceOf, type Surface } from "./contract/surface.js";

const declarations = readFileSync(inRepository("tests/repository/public-api/contracts.d.ts.snap"), "utf8");
const now = surfaceOf(declarations);
const keyNow = idempotencyKey({
  runId: "run",
  stepId: "step",
  logicalAttemptId: "1",
  eventType: "StepStarted",
  planVersion: "2",
});
const file = inRepository("tests/repository/contract/released.json");
if (process.env["RECORD_CONTRACT"] === "1") {
  const record = { version: CONTRACT_VERSION, idempotencyKey: keyNow, surface: now };
  writeFileSync(file, `${JSON.stringify(record, null, 2)}\n`);
}
const released = readJson(file) as {
  readonly version: string;
  readonly idempotencyKey: string;
  readonly surface: Surface;
};

test("the version of the contract is as high as its changes since the last release require", () => {
  const needed = versionAfter(released.version, neededBump(released.surface, now));
  expect(
    isAtLeast(CONTRACT_VERSION, needed),
    `The contract changed since ${released.version}. Raise CONTRACT_VERSION from ${CONTRACT_VERSION} to ${needed} and describe the change in VERSIONING.md.`,
  ).toBe(true);
});

test("keys are computed as in the last release, because they are in every log", () => {
  expect(keyNow).toBe(released.idempotencyKey);
});

test("VERSIONING.md describes the version", () => {
  expect(readFileSync(inRepository("VERSIONING.md"), "utf8")).toContain(`| ${CONTRACT_VERSION} `);
});

test("the surface has the events, their data and the ports of a log", () => {
  for (const member of [
    "CanonicalEngineEvent.runSeq",
    "AppendOptions.fence",
    "IRunStateStore.fetchEvents",
    "EventLog.appendEvents",
    "StateStore.queue",
    "StepFailedData.error",
    "event type RunCompleted",
  ])
    expect(Object.keys(now)).toContain(member);
});

const { "CanonicalEngineEvent.runId": _, ...withoutRunId } = now;
const fetchEvents = now["IRunStateStore.fetchEvents"]!;

test.each([
  ["no change", now, "patch"],
  ["a new event type", { ...now, "event type RunMoved": "optional?: event" }, "minor"],
  ["a new optional field", { ...now, "CanonicalEngineEvent.region": "readonly region?: string;" }, "minor"],
  ["a new optional parameter", replaced("options?: {", "options?: { readonly types?: string;"), "minor"],
  ["a new required field", { ...now, "CanonicalEngineEvent.region": "readonly region: string;" }, "major"],
  ["a removed field", withoutRunId, "major"],
  ["a removed optional parameter", replaced("readonly limit?: number;", ""), "major"],
  ["a field of another type", { ...now, "CanonicalEngineEvent.runSeq": "readonly runSeq: string;" }, "major"],
] as const)("the bump for %s", (_what, after, bump) => {
  expect(neededBump(now, after)).toBe(bump);
});

function replaced(part: string, other: string): Surface {
  expect(fetchEvents).toContain(part);
  return { ...now, "IRunStateStore.fetchEvents": fetchEvents.replace(part, other) };
}
