import { expect } from "vitest";
import { builtInKinds } from "@runledger/contracts";
import { FAULTS, POINTS } from "../world/faults.js";
import type { SeedReport } from "./seed-report.js";

const KINDS = [...builtInKinds, "function", "command", "sql", "http"];

interface Expected {
  readonly seeds: number;
  /** Minimum number of hits per fault and point. */
  readonly leastHits: number;
  /** Minimum number of events of the median seed. */
  readonly leastMedian: number;
}

/** Checks that the simulation was as large and as harsh as expected, and that it found nothing. */
export function judgeReports(reports: readonly SeedReport[], { seeds, leastHits, leastMedian }: Expected): void {
  const sizes = reports.map(({ events }) => events).sort((a, b) => a - b);
  const median = sizes[sizes.length >> 1]!;
  const hits = countHits(reports);
  console.log(`${reports.length} seeds, ${sizes.reduce((a, b) => a + b, 0)} events, median ${median}`);
  console.log(table(hits));
  const broken = reports.filter((report) => report.broken.length > 0);
  for (const { seed, broken: found } of broken) {
    for (const { invariant, message } of found) console.log(`seed ${seed}: ${invariant}: ${message}`);
    console.log(`to see it again: SIMULATION_SEED=${seed} npx vitest run tests/simulation/default-seeds.test.ts`);
  }
  expect(broken.map(({ seed }) => seed)).toEqual([]);
  expect(new Set(reports.map(({ seed }) => seed)).size).toBe(seeds);
  expect(median).toBeGreaterThanOrEqual(leastMedian);
  expect(KINDS.filter((kind) => !reports.some(({ kinds }) => kinds.includes(kind)))).toEqual([]);
  const rare = POINTS.flatMap((point) => FAULTS.map((fault) => `${fault} × ${point}`)).filter(
    (name) => (hits.get(name) ?? 0) < leastHits,
  );
  expect(rare).toEqual([]);
}

function countHits(reports: readonly SeedReport[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const [name, count] of reports.flatMap(({ hits }) => hits)) counts.set(name, (counts.get(name) ?? 0) + count);
  return counts;
}

function table(hits: ReadonlyMap<string, number>): string {
  const rows = POINTS.map((point) => {
    const counts = FAULTS.map((fault) => String(hits.get(`${fault} × ${point}`) ?? 0).padStart(10));
    return `${point.padEnd(18)}${counts.join("")}`;
  });
  return [`${"".padEnd(18)}${FAULTS.map((fault) => fault.padStart(10)).join("")}`, ...rows].join("\n");
}
