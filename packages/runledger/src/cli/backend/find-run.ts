/** Accepts short run ids: the last characters of an id, as the console shows them, or its first ones. */
import { InputError, RunledgerError } from "@runledger/contracts";
import type { Backend } from "./backend.js";
import { withBackend, type BackendOptions } from "./open-backend.js";

/** A complete generated id. Ids that callers chose can have any form. */
const COMPLETE = /^run_[0-9a-f]{32}$/;
const MIN_LENGTH = 4;
const PAGE = 200;
const MAX_PAGES = 5;

/** Calls the action with the complete id of the run. */
export function withRun<T>(
  options: BackendOptions,
  given: string,
  action: (backend: Backend, runId: string) => Promise<T>,
): Promise<T> {
  return withBackend(options, async (backend) => action(backend, await completeId(backend, given)));
}

/** Searches the newest runs if the id is not a complete one. Returns it unchanged if no run matches. */
export async function completeId(backend: Backend, given: string): Promise<string> {
  if (COMPLETE.test(given) || given.length < MIN_LENGTH || (await exists(backend, given))) return given;
  const found = await matching(backend, given);
  if (found.length > 1) throw ambiguous(given, found);
  return found[0] ?? given;
}

async function exists(backend: Backend, runId: string): Promise<boolean> {
  try {
    await backend.getRun(runId);
    return true;
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (code === "RUN_NOT_FOUND" || (error instanceof RunledgerError && error.family === "fix-input")) return false;
    throw error;
  }
}

async function matching(backend: Backend, given: string): Promise<string[]> {
  const found: string[] = [];
  let cursor: string | null | undefined;
  for (let page = 0; page < MAX_PAGES && cursor !== null; page++) {
    const listed = await backend.listRuns({}, { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) });
    found.push(...listed.runs.map(({ runId }) => runId).filter((runId) => isShortFor(given, runId)));
    cursor = listed.cursor;
  }
  return found;
}

function isShortFor(given: string, runId: string): boolean {
  return runId.endsWith(given) || runId.startsWith(given) || runId.startsWith(`run_${given}`);
}

function ambiguous(given: string, found: readonly string[]): InputError {
  const some = found.slice(0, 3).join(", ");
  return new InputError(
    "OPTION_INVALID",
    "run",
    `${given} matches ${some}${found.length > 3 ? ", …" : ""}. Type more characters.`,
  );
}
