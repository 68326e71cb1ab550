/** Conditions of verdicts on signals (G1, P9). `append_slow` checks them as `verdictRefusal` of `@runledger/core/store` does. */
import type { RunAppend } from "@runledger/core/store";
import { numberArray, plainTextArray, unlessAllNull } from "./arrays.js";

/** The judged seqs, steps and earliest times, as array literals. */
export function verdictArrays(parts: readonly RunAppend[]): (string | null)[] {
  const verdicts = parts.map(({ judgedAt }) => judgedAt);
  const texts = (values: readonly (string | null)[]): string | null => unlessAllNull(values, plainTextArray);
  return [
    unlessAllNull(
      verdicts.map((verdict) => verdict?.seq ?? null),
      numberArray,
    ),
    texts(verdicts.map((verdict) => verdict?.stepId ?? null)),
    texts(verdicts.map((verdict) => verdict?.notBefore ?? null)),
  ];
}
