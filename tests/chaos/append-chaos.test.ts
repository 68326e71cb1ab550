// @module-tag L-43
import { expect, test } from "vitest";
import { appendUnder, useChaos } from "./append-faults.js";

useChaos();

test("the checker finds nothing after kill -9 of a process and of the postmaster", async () => {
  const { duplicates } = await appendUnder(["process", "postmaster"]);
  expect(duplicates).toBeGreaterThan(0);
});
