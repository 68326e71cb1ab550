import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { InputError, type Json } from "@runledger/contracts";

export function parseJson(name: string, json: string): Json {
  try {
    return JSON.parse(json) as Json;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new InputError(
      "OPTION_INVALID",
      name,
      `not valid JSON: ${reason}. Quote it for the shell, such as '{"day":1}'.`,
    );
  }
}

/** Parses JSON, the JSON in `@file`, or with `-` the JSON on standard input. */
export async function inputArgument(name: string, input: string): Promise<Json> {
  if (input === "-") return parseJson(name, await text(process.stdin));
  return parseJson(name, input.startsWith("@") ? await textOf(name, input.slice(1)) : input);
}

async function textOf(name: string, file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch {
    throw new InputError("OPTION_INVALID", name, `cannot read ${file}. Use a file that contains JSON.`);
  }
}
