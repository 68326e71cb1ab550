// @module-tag R-12
import { expect, onTestFinished, test } from "vitest";
import { watchProcess } from "./step-process.js";

test("the workers of a process share its listeners until the last one has stopped", () => {
  const listeners = () =>
    ["unhandledRejection", "uncaughtExceptionMonitor", "exit"].map((name) => process.listenerCount(name));
  const before = listeners();
  const [first, second] = [watchProcess(), watchProcess()];
  onTestFinished(first);
  onTestFinished(second);
  const watched = listeners();
  first();
  first(); // stopping twice counts once
  expect(listeners()).toEqual(watched);
  second();
  expect(listeners()).toEqual(before);
});
