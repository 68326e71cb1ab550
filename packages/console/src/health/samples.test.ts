import type { Health } from "@runledger/client";
import { expect, test } from "vitest";
import { ratesOf } from "./samples.js";

function sample(second: number, total: number | null): Health {
  const appends = total === null ? null : { total, p50Ms: null, p99Ms: null };
  return { at: new Date(second * 1000).toISOString(), appends } as unknown as Health;
}

test("a rate is the growth of a total per second, and a restarted process has none at first", () => {
  const totals = [sample(0, 100), sample(2, 110), sample(4, 3), sample(5, 8), sample(6, null)];
  expect(ratesOf(totals, ({ appends }) => appends?.total ?? null)).toEqual([5, 5]);
});
