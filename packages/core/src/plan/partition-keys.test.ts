// @module-tag D-32
/** Keys and times of partitions, and definitions that the compiler refuses. */
import { PlanError, type Partitions } from "@runledger/contracts";
import { expect, test } from "vitest";
import { work } from "@runledger/test-support/decide";
import { compilePlan, keysBetween, knownRange, partitionOf } from "../index.js";

const known = (partitions: Partitions, now: string): string[] =>
  keysBetween(partitions, knownRange(partitions, Date.parse(now)));

test("a day is a partition once it has passed in its time zone", () => {
  const days: Partitions = { by: "day", start: "2026-02-27", timeZone: "Europe/Berlin" };
  expect(known(days, "2026-03-01T22:59:59Z")).toEqual(["2026-02-27", "2026-02-28"]);
  expect(known(days, "2026-03-01T23:00:00Z")).toEqual(["2026-02-27", "2026-02-28", "2026-03-01"]);
  expect(known(days, "2026-02-27T12:00:00Z")).toEqual([]);
  expect(known({ ...days, end: "2026-02-28" }, "2030-01-01T00:00:00Z")).toEqual(["2026-02-27", "2026-02-28"]);
  expect(known({ by: "day", start: "2026-02-27" }, "2026-02-28T00:00:00Z")).toEqual(["2026-02-27"]); // in UTC
});

test("a day has 23, 24 or 25 hours, and starts after a midnight that the clock skips", () => {
  const zone = (timeZone: string, key: string) => partitionOf({ by: "day", start: "2000-01-01", timeZone }, key);
  expect(zone("Europe/Berlin", "2026-03-29")).toEqual({
    key: "2026-03-29",
    start: "2026-03-28T23:00:00.000Z",
    end: "2026-03-29T22:00:00.000Z",
  });
  expect(zone("Europe/Berlin", "2026-10-25")).toMatchObject({
    start: "2026-10-24T22:00:00.000Z",
    end: "2026-10-25T23:00:00.000Z",
  });
  expect(zone("America/Sao_Paulo", "2018-11-04")).toMatchObject({
    start: "2018-11-04T03:00:00.000Z", // midnight did not exist; the day started at 01:00
    end: "2018-11-05T02:00:00.000Z",
  });
  expect(zone("Atlantic/Azores", "2026-10-25")).toMatchObject({ start: "2026-10-25T00:00:00.000Z" }); // midnight was twice
  const moment = "2011-12-30T10:00:00.000Z"; // Samoa skipped the day
  expect(zone("Pacific/Apia", "2011-12-30")).toMatchObject({ start: moment, end: moment });
});

test("the days of a zone follow each other without gaps when its clock changes", () => {
  for (const timeZone of [
    "UTC",
    "Europe/Berlin",
    "America/Sao_Paulo",
    "Asia/Kathmandu",
    "Pacific/Chatham",
    "Asia/Beirut",
  ]) {
    const days: Partitions = { by: "day", start: "2017-12-30", timeZone };
    const found = known(days, "2019-01-05T00:00:00Z").map((key) => partitionOf(days, key)!);
    expect(found.length).toBeGreaterThan(360);
    found.slice(1).forEach((day, index) => expect(day.start, day.key).toBe(found[index]!.end));
  }
});

test("hours are counted in UTC, and a day names its first or last one", () => {
  const hours: Partitions = { by: "hour", start: "2026-01-31", end: "2026-02-01" };
  const all = known(hours, "2026-03-01T00:00:00Z");
  expect([all.length, all[0], all.at(-1)]).toEqual([48, "2026-01-31T00", "2026-02-01T23"]);
  expect(known(hours, "2026-01-31T02:59:00Z")).toEqual(["2026-01-31T00", "2026-01-31T01"]);
  const hour = { key: "2026-01-31T23", start: "2026-01-31T23:00:00.000Z", end: "2026-02-01T00:00:00.000Z" };
  expect(partitionOf(hours, "2026-01-31T23")).toEqual(hour);
});

test("keys keep their order and have no times", () => {
  const shops: Partitions = { by: "key", keys: ["north", "east"] };
  expect(known(shops, "2026-01-01T00:00:00Z")).toEqual(["north", "east"]);
  expect(partitionOf(shops, "east")).toEqual({ key: "east" });
});

test.each([
  [{ by: "day", start: "2026-01-02" }, ["2026-01-01", "2026-02-30", "2026-1-3", "2026-01-02T00", "", "x"]],
  [{ by: "day", start: "2026-01-02", end: "2026-01-03" }, ["2026-01-04"]],
  [{ by: "hour", start: "2026-01-02" }, ["2026-01-01T23", "2026-01-02", "2026-01-02T24", "2026-01-02T5"]],
  [{ by: "key", keys: ["north"] }, ["North", ""]],
] as [Partitions, string[]][])("%j has no such partitions as %j", (partitions, keys) => {
  for (const key of keys) expect(partitionOf(partitions, key), key).toBeNull();
});

test.each([
  [{ by: "week" }, "partitions.by must be one of day, hour, key."],
  [7, 'partitions must be an object such as { by: "day" }.'],
  [{ by: "day" }, "partitions.start must be a day such as 2026-01-01."],
  [{ by: "day", start: "2026-02-30" }, "partitions.start must be a day such as 2026-01-01."],
  [{ by: "day", start: "2026-02-30", end: "2026-03-01" }, "partitions.start must be a day such as 2026-01-01."],
  [{ by: "day", start: "2026-02-03", end: "2026-02-02" }, "partitions.end is before start, which is 2026-02-03."],
  [{ by: "day", start: "2026-02-03", end: 5 }, "partitions.end must be a day such as 2026-01-01."],
  [
    { by: "day", start: "2026-02-03", timeZone: "Berlin" },
    "partitions.timeZone is not a time zone. Use a name such as Europe/Berlin or UTC.",
  ],
  [{ by: "day", start: "2026-02-03", timeZone: "+01:00" }, "partitions.timeZone is not a time zone."],
  [{ by: "day", start: "2026-02-03", timeZone: 1 }, "partitions.timeZone is not a time zone."],
  [
    { by: "hour", start: "2026-02-03", timeZone: "UTC" },
    "partitions.timeZone has no effect by hour. Remove it; the options are by, start, end.",
  ],
  [{ by: "hour", start: "2026-02-03T24" }, "partitions.start must be an hour such as 2026-01-01T00, or a day."],
  [{ by: "key", keys: [] }, "partitions.keys must be a list of 1 to 1000 keys."],
  [{ by: "key", keys: ["a", "b", "a"] }, "partitions.keys[2] is listed twice. Remove one of them."],
  [{ by: "key", keys: ["a|b"] }, "partitions.keys[0] contains a `|`"],
  [{ by: "key", keys: ["x".repeat(201)] }, "partitions.keys[0] has 201 characters. Use at most 200."],
])("the compiler refuses partitions %j", (partitions, message) => {
  const compile = () => compilePlan({ id: "w", body: { steps: [work("a")] }, partitions: partitions as Partitions });
  expect(compile).toThrow(PlanError);
  try {
    compile();
  } catch (error) {
    const [first] = (error as PlanError).problems;
    expect(first.code).toBe("PLAN_OPTION_INVALID");
    expect(first.message).toContain(message);
  }
});

test("partitions are part of the plan and its hash, and plans without them keep theirs", () => {
  const plan = (partitions?: Partitions) =>
    compilePlan({ id: "w", version: "1", body: { steps: [work("a")] }, ...(partitions && { partitions }) });
  const partitions: Partitions = { by: "key", keys: ["a"] };
  expect(plan(partitions).partitions).toEqual(partitions);
  expect(plan(partitions).hash).not.toBe(plan().hash);
  expect(plan()).not.toHaveProperty("partitions");
});
