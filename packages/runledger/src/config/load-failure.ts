import { InputError, RunledgerError } from "@runledger/contracts";

/** What a module of the project throws while it is loaded, as one line that says where. */
export async function explainingFailure<T>(file: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if (error instanceof RunledgerError) throw error; // a definition's own faults say all there is to say
    throw new InputError("CONFIG_INVALID", placeOf(error, file), `it cannot be loaded: ${messageOf(error)}`);
  }
}

function messageOf(error: unknown): string {
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return message.replaceAll(/\s*\n\s*/g, " ").trim();
}

/** Where in the file it happened, if the stack knows. */
function placeOf(error: unknown, file: string): string {
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  const at = stack.indexOf(`${file}:`);
  const place = at === -1 ? null : /^:\d+:\d+/.exec(stack.slice(at + file.length));
  return place === null ? file : file + place[0];
}
