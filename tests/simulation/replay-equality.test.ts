// @module-tag E-30
/**
 * Kills a worker at every append in turn, and lets another one resume. The run must finish in the same state as without a
 * kill, and each logical attempt must be recorded once (K5). Each day uses other plans.
 */
import { test } from "vitest";
import { assertEqualReplays } from "./replay/assert-equal-replays.js";
import { turnOfToday } from "./seeds/turn-of-today.js";

test.each([
  { when: "after", plans: 2 },
  { when: "before", plans: 1 },
] as const)(
  "$plans plans: killed $when every append, a run finishes as without a kill",
  { timeout: 600_000 },
  ({ when, plans }) => assertEqualReplays(1 + turnOfToday(18) * 2, plans, when),
);
