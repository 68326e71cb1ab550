import { expect, test } from "vitest";
import { Metrics } from "./metrics.js";

test("counters add up, gauges hold the last value, per set of labels", () => {
  const metrics = new Metrics();
  const events = metrics.counter("events_total", "Events.");
  events.add();
  events.add(2, { kind: "a", tenant: "t" });
  metrics.counter("events_total", "Events.").add(3, { tenant: "t", kind: "a" });
  metrics.gauge("depth", "How deep.").set(4);
  metrics.gauge("depth", "How deep.").set(2);
  expect(metrics.snapshot()).toEqual([
    {
      name: "events_total",
      help: "Events.",
      kind: "counter",
      samples: [
        { labels: {}, value: 1 },
        { labels: { kind: "a", tenant: "t" }, value: 5 },
      ],
    },
    { name: "depth", help: "How deep.", kind: "gauge", samples: [{ labels: {}, value: 2 }] },
  ]);
});

test("a histogram counts what is at most each bound, and everything at the end", () => {
  const metrics = new Metrics();
  const sizes = metrics.histogram("size_bytes", "Sizes.", [10, 100]);
  for (const size of [5, 10, 50, 5000]) sizes.observe(size);
  const [family] = metrics.snapshot();
  expect(family!.samples).toEqual([
    {
      labels: {},
      value: 5065,
      buckets: [
        { le: 10, count: 2 },
        { le: 100, count: 3 },
        { le: Infinity, count: 4 },
      ],
    },
  ]);
});

test("one name is one kind of instrument", () => {
  const metrics = new Metrics();
  metrics.counter("lag", "Lag.");
  expect(() => metrics.gauge("lag", "Lag.")).toThrow("the metric lag is a counter, not a gauge");
});
