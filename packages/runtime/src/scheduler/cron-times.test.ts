// @module-tag O-30
/** Tests cron expressions, intervals and single times, above all on days when clocks jump. */
import { afterEach, describe, expect, test } from "vitest";
import { firstTimes, lastTimes, timesOf } from "./cron-times.js";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const machineZone = process.env["TZ"];

afterEach(() => {
  if (machineZone === undefined) delete process.env["TZ"];
  else process.env["TZ"] = machineZone;
});

/** The local time, such as `29 03:00`. */
function wall(time: number, timeZone: string): string {
  const parts = new Intl.DateTimeFormat("sv", { timeZone, dateStyle: "short", timeStyle: "short" }).format(time);
  return parts.slice(8);
}

function wallTimes(cron: string, timeZone: string, from: string, limit: number): string[] {
  const found = firstTimes(timesOf({ cron, timeZone }), { from: Date.parse(from), upTo: Infinity, limit });
  return found.map((time) => `${new Date(time).toISOString().slice(5, 16)}Z ${wall(time, timeZone)}`);
}

describe("a day on which the clock jumps ahead", () => {
  test.each([
    // At 02:00 the clock shows 03:00.
    ["30 2 * * *", "Europe/Berlin", "2026-03-28T12:00Z", ["03-29T01:00Z 29 03:00", "03-30T00:30Z 30 02:30"]],
    ["0 3 * * *", "Europe/Berlin", "2026-03-28T12:00Z", ["03-29T01:00Z 29 03:00", "03-30T01:00Z 30 03:00"]],
    [
      "0 2,14 * * *",
      "Europe/Berlin",
      "2026-03-28T12:30Z",
      ["03-28T13:00Z 28 14:00", "03-29T01:00Z 29 03:00", "03-29T12:00Z 29 14:00"],
    ],
    ["0,30 2 * * *", "Europe/Berlin", "2026-03-28T12:00Z", ["03-29T01:00Z 29 03:00", "03-30T00:00Z 30 02:00"]],
    [
      "*/30 * * * *",
      "Europe/Berlin",
      "2026-03-29T00:30Z",
      ["03-29T00:30Z 29 01:30", "03-29T01:00Z 29 03:00", "03-29T01:30Z 29 03:30"],
    ],
    ["30 2 * * *", "America/New_York", "2026-03-07T12:00Z", ["03-08T07:00Z 08 03:00", "03-09T06:30Z 09 02:30"]],
    // Half an hour only.
    ["15 2 * * *", "Australia/Lord_Howe", "2026-10-03T12:00Z", ["10-03T15:30Z 04 02:30", "10-04T15:15Z 05 02:15"]],
    ["*/15 * * * *", "Australia/Lord_Howe", "2026-10-03T15:15Z", ["10-03T15:15Z 04 01:45", "10-03T15:30Z 04 02:30"]],
    // Midnight itself.
    ["0 0 * * *", "America/Sao_Paulo", "2018-11-03T12:00Z", ["11-04T03:00Z 04 01:00", "11-05T02:00Z 05 00:00"]],
    // Two hours.
    ["30 1 * * *", "Antarctica/Troll", "2026-03-28T12:00Z", ["03-29T01:00Z 29 03:00", "03-29T23:30Z 30 01:30"]],
    // There was no 30 December 2011.
    ["0 12 * * *", "Pacific/Apia", "2011-12-29T12:00Z", ["12-29T22:00Z 29 12:00", "12-30T22:00Z 31 12:00"]],
    // No such days in this zone.
    ["30 2 * * *", "Asia/Kolkata", "2026-03-28T22:00Z", ["03-29T21:00Z 30 02:30", "03-30T21:00Z 31 02:30"]],
  ])("%s in %s from %s", (cron, zone, from, expected) => {
    expect(wallTimes(cron, zone, from, expected.length)).toEqual(expected);
  });
});

describe("a day on which the clock jumps back", () => {
  test.each([
    // 02:00 to 03:00 comes twice: a fixed time fires the first time only.
    ["30 2 * * *", "Europe/Berlin", "2026-10-24T12:00Z", ["10-25T00:30Z 25 02:30", "10-26T01:30Z 26 02:30"]],
    [
      "0 2,14 * * *",
      "Europe/Berlin",
      "2026-10-24T22:00Z",
      ["10-25T00:00Z 25 02:00", "10-25T13:00Z 25 14:00", "10-26T01:00Z 26 02:00"],
    ],
    // Intervals fire through both hours.
    [
      "*/30 * * * *",
      "Europe/Berlin",
      "2026-10-25T00:00Z",
      [
        "10-25T00:00Z 25 02:00",
        "10-25T00:30Z 25 02:30",
        "10-25T01:00Z 25 02:00",
        "10-25T01:30Z 25 02:30",
        "10-25T02:00Z 25 03:00",
      ],
    ],
    ["30 1 * * *", "America/New_York", "2026-10-31T12:00Z", ["11-01T05:30Z 01 01:30", "11-02T06:30Z 02 01:30"]],
    ["45 1 * * *", "Australia/Lord_Howe", "2026-04-04T12:00Z", ["04-04T14:45Z 05 01:45", "04-05T15:15Z 06 01:45"]],
    [
      "*/15 * * * *",
      "Australia/Lord_Howe",
      "2026-04-04T14:45Z",
      ["04-04T14:45Z 05 01:45", "04-04T15:00Z 05 01:30", "04-04T15:15Z 05 01:45", "04-04T15:30Z 05 02:00"],
    ],
  ])("%s in %s from %s", (cron, zone, from, expected) => {
    expect(wallTimes(cron, zone, from, expected.length)).toEqual(expected);
  });
});

/** The local days of a zone, found by reading its clock every 15 minutes. */
function daysOf(timeZone: string, from: number, to: number): string[] {
  const day = new Intl.DateTimeFormat("sv", { timeZone });
  const days = new Set<string>();
  for (let time = from; time < to; time += HOUR / 4) days.add(day.format(time));
  return [...days].slice(1, -1); // the first and last day are incomplete
}

test.each([
  ["Europe/Berlin", 2026],
  ["America/New_York", 2026],
  ["Asia/Kolkata", 2026],
  ["Pacific/Apia", 2011],
  ["Australia/Lord_Howe", 2026],
  ["America/Sao_Paulo", 2018],
  ["Antarctica/Troll", 2026],
])(
  "a daily time fires once on every local day of %s in %i, at any time and machine zone",
  (zone, year) => {
    const [from, to] = [Date.UTC(year, 0, 1), Date.UTC(year + 1, 0, 1)];
    const days = daysOf(zone, from, to);
    const day = new Intl.DateTimeFormat("sv", { timeZone: zone });
    for (const [cron, machine] of [
      ["0 0 * * *", "UTC"],
      ["45 1 * * *", "Europe/Berlin"],
      ["15 2 * * *", "America/New_York"],
      ["30 2 * * *", zone],
    ] as const) {
      process.env["TZ"] = machine;
      expect(new Date(from).toLocaleString("sv")).toBe(new Date(from).toLocaleString("sv", { timeZone: machine }));
      const found = firstTimes(timesOf({ cron, timeZone: zone }), { from, upTo: to, limit: 400 }).map((t) =>
        day.format(t),
      );
      expect(found.filter((each) => days.includes(each))).toEqual(days);
    }
  },
  60_000,
);

test("the next time does not depend on the starting point", () => {
  const times = timesOf({ cron: "*/20 1-3 * * *", timeZone: "Europe/Berlin" });
  for (const begin of ["2026-03-28T00:00Z", "2026-10-24T00:00Z"]) {
    const from = Date.parse(begin);
    const all = firstTimes(times, { from, upTo: from + 2 * DAY, limit: 100 });
    for (let at = from; at < from + DAY; at += 7 * 60_000 + 1) expect(times(at)).toBe(all.find((time) => time > at));
    for (const time of all) expect(times(time - 1)).toBe(time);
  }
});

test("an interval counts from its start, and a single time fires once", () => {
  const from = "2026-01-01T00:00:00.000Z";
  const every = timesOf({ everyMs: 90 * 60_000, from });
  const begin = Date.parse(from);
  expect(
    firstTimes(every, { from: 0, upTo: begin + 4 * HOUR, limit: 10 }).map((time) => (time - begin) / HOUR),
  ).toEqual([0, 1.5, 3]);
  expect(every(begin)).toBe(begin + 1.5 * HOUR);
  const once = timesOf({ at: from });
  expect([once(begin - 1), once(begin)]).toEqual([begin, null]);
});

test("lastTimes returns the last times of a range of any size", () => {
  const upTo = Date.parse("2026-06-30T12:00:00Z");
  for (const timing of [
    { cron: "0 0 29 2 *", timeZone: "UTC" },
    { cron: "*/5 * * 1 *", timeZone: "Europe/Berlin" }, // many, long ago
    { cron: "0 */3 * * *", timeZone: "Europe/Berlin" },
    { everyMs: 1000, from: "1970-01-01T00:00:00.000Z" },
    { at: "2026-01-01T00:00:00.000Z" },
  ]) {
    const times = timesOf(timing);
    const asked: number[] = [];
    const counted = (after: number): number | null => {
      asked.push(after);
      return times(after);
    };
    for (const limit of [1, 7, 100]) {
      const last = lastTimes(counted, { from: 0, upTo, limit });
      const [first = 0] = last;
      expect(last).toEqual(firstTimes(times, { from: first, upTo, limit: limit + 1 }));
      expect(last.length).toBeLessThanOrEqual(limit);
      const earlier = last.length < limit ? firstTimes(times, { from: 0, upTo: first - 1, limit: 1 }) : [];
      expect(earlier).toEqual([]);
    }
    expect(asked.length).toBeLessThan(4_000);
  }
  expect(
    lastTimes(timesOf({ everyMs: 1000, from: "1970-01-01T00:00:00.000Z" }), { from: 5000, upTo: 4000, limit: 3 }),
  ).toEqual([]);
});
