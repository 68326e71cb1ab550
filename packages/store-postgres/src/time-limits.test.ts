// @module-tag R-12
import { expect, test } from "vitest";
import { timeLimits } from "./time-limits.js";

test("limits come from the options, then from the URL, then from the defaults", () => {
  const { limits, silenceMs } = timeLimits("postgres://host/db?statementTimeoutMs=5&appendTimeoutMs=6", {
    appendTimeoutMs: 7,
  });
  expect([limits.statement, limits.append, silenceMs]).toEqual([5, 7, 10_000]);
});

test("a connection string that is not a URL has the default limits", () => {
  expect(timeLimits("host=/run dbname=db", {}).limits).toMatchObject({ statement: 30_000, append: 10_000 });
});
