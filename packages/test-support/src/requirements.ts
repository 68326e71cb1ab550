import { describe, test, type TestContext } from "vitest";
import { isOnPath } from "../../../scripts/lib/on-path.mjs";

/** Checks a requirement of a suite beyond npm. Returns `null` if it is met, otherwise the reason to skip the suite. */
export type Requirement = () => string | null;

/** A program on the PATH. */
export function requireTool(command: string): Requirement {
  return () => (isOnPath(command) ? null : `${command} is not installed`);
}

/**
 * A `describe` that is left out, by name and with the reason, where something it needs is missing. Its body is then not
 * run at all, so that no hook starts half of a suite.
 */
export function describeWith(name: string, needs: readonly Requirement[], body: () => void): void {
  const missing = needs.map((need) => need()).filter((reason) => reason !== null);
  if (missing.length === 0) describe(name, body);
  else test(name, (context) => context.skip(missing.join("; ")));
}

/** Leaves a test out, with the reason, if a program that it needs is not installed. */
export function needTools(context: TestContext, ...commands: readonly string[]): void {
  const missing = commands.filter((command) => !isOnPath(command));
  if (missing.length > 0) context.skip(`not installed: ${missing.join(", ")}`);
}
