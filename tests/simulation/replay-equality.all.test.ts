// @module-tag E-30
/**
 * Kills a worker at every append in turn, and lets another one resume. The run must finish in the same state as without a
 * kill, and each logical attempt must be recorded once (K5).
 */
import { test } from "vitest";
import { assertEqualReplays } from "./replay/assert-equal-replays.js";

test.each([
  { when: "after", plans: 36 },
  { when: "before", plans: 15 },
] as const)(
  "$plans plans: killed $when every append, a run finishes as without a kill",
  { timeout: 600_000 },
  ({ when, plans }) => assertEqualReplays(1, plans, when),
);
