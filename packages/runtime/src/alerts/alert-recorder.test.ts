import { RetryError, StopError, type RecordedAlert } from "@runledger/contracts";
import { until } from "@runledger/test-support/until";
import { expect, test } from "vitest";
import { realTimers } from "../time/timers.js";
import { alertRecorder } from "./alert-recorder.js";

const alert: RecordedAlert = {
  alertId: "alert-1",
  code: "EVENTS_LOST",
  severity: "critical",
  message: "lost",
  at: "2026-11-14T00:00:00.000Z",
  process: "p-1",
};

test.each([
  ["unavailable", new RetryError("STORE_UNAVAILABLE", "no connection"), false],
  ["closed", new StopError("STORE_CLOSED", "The store is closed. Open it again."), false],
  ["broken", new Error("a defect"), true],
])("reports a failure of a store that is %s only if it is a defect", async (_, error, isReported) => {
  const faults: unknown[] = [];
  let calls = 0;
  const recorder = alertRecorder({
    store: { recordAlerts: () => (calls++, Promise.reject(error)), listAlerts: () => Promise.resolve([]) },
    timers: realTimers,
    fault: (fault) => faults.push(fault),
  });

  recorder.add(alert);
  await until(() => calls === 1);
  await recorder.close();

  expect(faults.length > 0).toBe(isReported);
});
