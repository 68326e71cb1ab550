/**
 * An expression that loops through lists of lists, or tries a pattern in every way, takes as long as its author or its data
 * want. It is evaluated in one go: meanwhile a worker says nothing, loses its runs, and the next one begins the same. So it
 * is stopped. Only the virtual machine can do that; what it runs is a call of ours, never a text of somebody else's.
 */
import { createContext, Script } from "node:vm";

/** Whatever is meant to be done takes a thousandth of this. */
const MOST_MS = 1000;

const surroundings: { work: () => unknown } = { work: () => null };
createContext(surroundings);
const call = new Script("work()");

/** Null = it was stopped. */
export function bounded<T>(work: () => T): { readonly value: T } | null {
  surroundings.work = work;
  try {
    return { value: call.runInContext(surroundings, { timeout: MOST_MS }) as T };
  } catch (error) {
    if ((error as { code?: string }).code === "ERR_SCRIPT_EXECUTION_TIMEOUT") return null;
    throw error;
  } finally {
    surroundings.work = () => null;
  }
}
