// @module-tag R-12
import { createNoopMeter } from "@opentelemetry/api";
import { expect, test } from "vitest";
import type { Alert } from "./alerts.js";
import { LagWatch } from "./lag-watch.js";
import { lagGauge } from "./projector-metrics.js";

test("a lag above 5 s raises one alert that names it in seconds, and again after it has fallen", () => {
  const alerts: Alert[] = [];
  const watch = new LagWatch(lagGauge(createNoopMeter()), (alert) => alerts.push(alert));
  for (const lagMs of [5000, 6540, 9000, 0, 12_000]) watch.note(lagMs);
  expect(alerts.map(({ message }) => /^projections are (.*) behind the log/.exec(message)?.[1])).toEqual([
    "6.5 s",
    "12.0 s",
  ]);
  expect(watch.resyncs).toBe(1);
});
