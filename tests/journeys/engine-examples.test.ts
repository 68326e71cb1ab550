import { test } from "vitest";
import { runNightlyOrders } from "./examples.js";

test("examples/nightly-orders runs unchanged, compiled, in production", () =>
  runNightlyOrders(["--config", "dist/runledger.config.js"], { NODE_ENV: "production" }));
