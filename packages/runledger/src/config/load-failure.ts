import { InputError, RunledgerError } from "@runledger/contracts";

/** Turns an error that a project's module throws into one line with its position. */
export async function withLoadError<T>(file: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if (error instanceof RunledgerError) throw error; // errors of a definition already name their place
    throw new InputError("CONFIG_INVALID", placeOf(error, file), `cannot load the file: ${messageOf(error)}`);
  }
}

function messageOf(error: unknown): string {
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return message.replaceAll(/\s*\n\s*/g, " ").trim();
}

/** Returns line and column if the stack has them. */
function placeOf(error: unknown, file: string): string {
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  const at = stack.indexOf(`${file}:`);
  const place = at === -1 ? null : /^:\d+:\d+/.exec(stack.slice(at + file.length));
  return place === null ? file : file + place[0];
}
