// @module-tag L-43
import { expect, test } from "vitest";
import { appendUnder, useChaos } from "./append-faults.js";

const FAULTS = ["process", "backend", "process", "terminate", "postmaster"] as const;

useChaos();

test(
  "the checker finds nothing after kill -9 of processes, backends and the postmaster",
  { timeout: 600_000 },
  async () => {
    const { unknown, duplicates } = await appendUnder([...FAULTS, ...FAULTS]);
    expect(unknown).toBeGreaterThan(0);
    expect(duplicates).toBeGreaterThan(0);
  },
);
