import { hideInitialEnvironment } from "./initial-environment.js";

/** Returns the environment variables of this process. Callers pass them on, so that no other code reads them directly (I5). */
export function environment(): Readonly<Record<string, string | undefined>> {
  return process.env;
}

export const SECRET_PREFIX = "RUNLEDGER_SECRET_";
/** The keys of the store. Unlike secrets, no step can resolve them. */
const STORE_KEYS = "RUNLEDGER_ENCRYPTION_KEYS";

/** Secrets that were moved out of the environment of this process. */
const moved: Record<string, string> = {};

/**
 * Moves secrets out of the environment and hides the rest, so that programs that this process starts can read neither (S1).
 * Warns if the system does not allow it.
 */
export function moveSecrets(warn: (message: string) => void): void {
  for (const [name, value] of Object.entries(process.env)) {
    if (!(name.startsWith(SECRET_PREFIX) || name === STORE_KEYS) || value === undefined) continue;
    moved[name] = value;
    delete process.env[name];
  }
  if (hideInitialEnvironment() && !hasWarned) warn(READABLE);
  hasWarned = true;
}

const READABLE =
  "This system does not let the worker clear the environment that it was started with. Steps that run programs can read it in " +
  "/proc. Pass secrets through a provider instead of environment variables, or allow writes to /proc/self/mem.";

let hasWarned = false;

/** Returns the secrets of these variables, including moved ones if they are the variables of this process. */
export function secretVariables(variables: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const own = Object.entries(variables).filter(
    ([name, value]) => name.startsWith(SECRET_PREFIX) && value !== undefined,
  );
  const { [STORE_KEYS]: _, ...secrets } = moved;
  return { ...(variables === process.env ? secrets : {}), ...(Object.fromEntries(own) as Record<string, string>) };
}

/** Returns the environment with the keys of the store, also after they were moved out of it. */
export function environmentWithKeys(): Readonly<Record<string, string | undefined>> {
  const { [STORE_KEYS]: keys } = moved;
  return keys === undefined ? process.env : { [STORE_KEYS]: keys, ...process.env };
}
