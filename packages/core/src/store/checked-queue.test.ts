import { expect, test } from "vitest";
import type { Limits, RunQueue, RunStart } from "@runledger/contracts";
import { checkedLimits } from "./checked-limits.js";
import { checkedQueue } from "./checked-queue.js";

const start = { tenantId: "t", priority: 0 } as RunStart;
const queue = checkedQueue({ startRun: async () => ({}) } as unknown as RunQueue, () => {});
const limits = checkedLimits({ setLimit: async () => {} } as unknown as Limits, () => {});

test.each([
  ["a priority that is not a whole number", { priority: 1.5 }, "priority"],
  ["a priority that is too high", { priority: 1_000_001 }, "priority"],
  ["a time that is none", { startAt: "tomorrow" }, "startAt"],
])("a start with %s is refused before anything is sent", async (_, wrong, field) => {
  await expect(queue.startRun({ ...start, ...wrong })).rejects.toMatchObject({ code: "OPTION_INVALID", field });
});

test("a limit about something that has no name is refused before anything is sent", async () => {
  const limit = { scope: "tenant", subject: 7, maxRunning: 1 } as never;
  await expect(limits.setLimit(limit)).rejects.toMatchObject({ field: "subject" });
});
