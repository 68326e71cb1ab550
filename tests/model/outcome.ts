/** The outcome of a call without the parts that differ between stores: times and message texts. */
import { AppendPartialError, RunledgerError, type AppendResult } from "@runledger/contracts";

export type Outcome = { readonly value: unknown } | { readonly refused: object };

export async function outcomeOf(call: Promise<unknown>): Promise<Outcome> {
  try {
    return { value: withoutTimes(await call) };
  } catch (error) {
    if (!(error instanceof RunledgerError)) throw error;
    return { refused: refusalOf(error) };
  }
}

/** Fields of an error are part of the contract: the head, the epochs, the wrong field. */
function refusalOf(error: RunledgerError): object {
  if (!(error instanceof AppendPartialError)) return fieldsOf(error);
  const results = error.results.map((result: AppendResult | RunledgerError) =>
    result instanceof RunledgerError ? refusalOf(result) : result,
  );
  return { code: error.code, results };
}

function fieldsOf(error: RunledgerError): object {
  const own = Object.entries(error).filter(([name]) => name !== "name");
  return { ...Object.fromEntries(own), code: error.code };
}

const TIMES = new Set(["persistedAt", "now", "expiresAt"]);
/** Lists of times by the store's clock. The number of times is compared. */
const TIME_LISTS = new Set(["recentSignals", "recentActions"]);

function withoutTimes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutTimes);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([name, part]) => !TIMES.has(name) && part !== undefined);
  return Object.fromEntries(
    kept.map(([name, part]) => [name, TIME_LISTS.has(name) ? countOf(part) : withoutTimes(part)]),
  );
}

const countOf = (list: unknown): number => (list as readonly unknown[]).length;
