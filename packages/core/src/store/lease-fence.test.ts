import { expect, test } from "vitest";
import { isFencedOff, needsFence } from "./lease-fence.js";

test("P4: only events of an engine need a fence", () => {
  expect(["StepStarted", "RunCompleted", "RunTakenOver"].every(needsFence)).toBe(true);
  expect(["SignalAccepted", "SignalRejected", "RunReopened", "SomethingUnknown"].some(needsFence)).toBe(false);
});

test("P4: a fence must be the lease epoch, and a leased run needs one", () => {
  expect(isFencedOff({ fence: 3, needsFence: true }, 3)).toBe(false);
  expect(isFencedOff({ fence: 2, needsFence: true }, 3)).toBe(true);
  expect(isFencedOff({ fence: 2, needsFence: false }, 3)).toBe(true);
  expect(isFencedOff({ fence: null, needsFence: true }, 0)).toBe(false);
  expect(isFencedOff({ fence: null, needsFence: true }, 1)).toBe(true);
  expect(isFencedOff({ fence: null, needsFence: false }, 1)).toBe(false);
});
