// @module-tag U-10
import { workflow } from "@runledger/runtime";
import { expect, test } from "vitest";
import { z } from "zod";
import { testServer } from "@runledger/test-support/test-server";

const nightly = workflow("nightly", { version: "1", input: z.object({ day: z.string() }) }, (w) => {
  w.step("load", ({ input }) => input.day);
});

test("schedules can be created, read, paused, resumed and removed", async () => {
  const { client, call } = await testServer([nightly]);
  const request = { workflow: "nightly", input: { day: "monday" }, cron: "0 2 * * *", timeZone: "Europe/Berlin" };
  const made = await client.putSchedule("each-night", request);
  expect(made).toMatchObject({ scheduleId: "each-night", workflow: "nightly", version: "1", pausedAt: null });
  expect(made.timing).toEqual({ cron: "0 2 * * *", timeZone: "Europe/Berlin" });
  expect(await client.putSchedule("each-night", request)).toEqual(made); // the same request again changes nothing
  await client.putSchedule("hourly", { ...request, cron: "0 * * * *" });
  expect((await client.listSchedules({ limit: 1 })).next).toBe("each-night");
  expect(await client.listSchedules({ after: "each-night" })).toMatchObject({ items: [{ scheduleId: "hourly" }] });
  expect((await client.listSchedules({ workflow: "other" })).items).toEqual([]);
  const { times, timeZone } = await client.nextTimes("each-night", 3);
  expect([times.length, timeZone, times[0]]).toEqual([3, "Europe/Berlin", made.nextTick]);

  expect((await client.pauseSchedule("each-night")).pausedAt).not.toBeNull();
  expect((await client.getSchedule("each-night")).dueAt).toBeNull();
  expect((await client.resumeSchedule("each-night")).pausedAt).toBeNull();
  await client.removeSchedule("each-night");
  for (const [method, path] of [
    ["GET", "/schedules/each-night"],
    ["DELETE", "/schedules/each-night"],
    ["POST", "/schedules/each-night/pause"],
    ["GET", "/schedules/each-night/next"],
  ] as const)
    expect((await call(method, path)).status, path).toBe(404);
});

test("the times of a schedule can be previewed, and errors name the invalid field", async () => {
  const { client, call } = await testServer([nightly]);
  expect((await client.previewTimes({ every: "15m", count: 2 })).times).toHaveLength(2);
  const refused = async (body: object) => {
    const response = await call("PUT", "/schedules/one", { workflow: "nightly", input: { day: "x" }, ...body });
    const { code, field } = (await response.json()) as { code: string; field: string };
    return [response.status, code, field];
  };
  expect(await refused({})).toEqual([400, "SCHEDULE_INVALID", "timing"]);
  expect(await refused({ cron: "61 * * * *" })).toEqual([400, "SCHEDULE_INVALID", "cron"]);
  expect(await refused({ cron: "0 0 31 2 *" })).toEqual([400, "SCHEDULE_NEVER_FIRES", "cron"]);
  expect(await refused({ every: "15m", input: {} })).toEqual([400, "SCHEMA_MISMATCH", "input.day"]);
  expect(await refused({ every: "15m", workflow: "none" })).toEqual([404, "WORKFLOW_NOT_FOUND", "workflow"]);
  expect((await client.listSchedules()).items).toEqual([]);
});
