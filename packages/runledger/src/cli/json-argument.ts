import { InputError, type Json } from "@runledger/contracts";

export function parseJson(name: string, text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new InputError(
      "OPTION_INVALID",
      name,
      `this is not JSON: ${why}. Quote it for the shell, as in '{"day":1}'.`,
    );
  }
}
