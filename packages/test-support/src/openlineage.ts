/** The client of OpenLineage in Python, which judges run events. */
import { capture } from "../../../scripts/lib/spawn.mjs";
import { provideOpenLineage } from "../../../scripts/lib/provide-openlineage.mjs";
import { inRepository } from "../../../scripts/lib/repository.mjs";
import { requireTool, type Requirement } from "./requirements.js";

export const requireOpenLineage: readonly Requirement[] = [requireTool("python3")];

const TIMEOUT_MS = 120_000;

/** Returns the output of the program `validate_openlineage.py`: a line per fault, and the number of events. */
export async function validateOpenLineage(bodies: readonly string[]): Promise<readonly string[]> {
  const python = await provideOpenLineage();
  const input = bodies.map((body) => `${body}\n`).join("");
  const program = inRepository("tests/outbox/validate_openlineage.py");
  const { code, stdout, stderr } = await capture(python, [program], { input, timeoutMs: TIMEOUT_MS });
  if (code !== 0) throw new Error(stderr);
  return stdout.trim().split("\n");
}
