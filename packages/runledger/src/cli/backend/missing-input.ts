import { InputError, type JsonObject } from "@runledger/contracts";
import { samplePayload } from "./sample-payload.js";

/** Replaces the refusal of a missing input by one with an example. Other errors are returned as they are. */
export async function explainMissingInput(
  thrown: unknown,
  { workflow, input, schema }: { workflow: string; input: unknown; schema: () => Promise<JsonObject | null> },
): Promise<unknown> {
  const { code } = thrown as { code?: unknown };
  if (input !== undefined || code !== "SCHEMA_MISMATCH") return thrown;
  const found = await schema().catch(() => null);
  const example = found === null ? "'{…}'" : `'${JSON.stringify(samplePayload(found))}'`;
  return new InputError("SCHEMA_MISMATCH", "input", `is missing; ${workflow} needs --input ${example}`);
}
