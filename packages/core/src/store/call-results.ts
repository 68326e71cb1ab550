import { AppendPartialError, RunledgerError, type AppendResult } from "@runledger/contracts";
import type { AppendCall, RunOutcome } from "./append-call.js";

/** Returns the results of a call's events in call order, or throws the refusal. */
export function resultsOf(call: AppendCall, outcomes: readonly RunOutcome[]): readonly AppendResult[] {
  if (outcomes.length === 1) return onlyOutcome(outcomes[0]!);
  const results = call.places.map(({ run, event }) => {
    const outcome = outcomes[run]!;
    return outcome instanceof RunledgerError ? outcome : outcome[event]!;
  });
  if (results.some((result) => result instanceof RunledgerError)) throw refusal(results);
  return results as readonly AppendResult[];
}

function onlyOutcome(outcome: RunOutcome): readonly AppendResult[] {
  if (outcome instanceof RunledgerError) throw outcome;
  return outcome;
}

/** If all runs were refused with the same code, nothing was written and the first refusal is the clearest error. */
function refusal(results: readonly (AppendResult | RunledgerError)[]): RunledgerError {
  const refusals = results.filter((result) => result instanceof RunledgerError);
  const first = refusals[0]!;
  const alike = refusals.length === results.length && refusals.every(({ code }) => code === first.code);
  return alike ? first : new AppendPartialError(results);
}
