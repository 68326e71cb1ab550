import { readFile } from "node:fs/promises";
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

/** JSON, or `@file` that holds it. */
export async function inputArgument(name: string, input: string): Promise<Json> {
  return parseJson(name, input.startsWith("@") ? await textOf(name, input.slice(1)) : input);
}

async function textOf(name: string, file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch {
    throw new InputError("OPTION_INVALID", name, `${file} cannot be read; name a file that holds JSON.`);
  }
}
