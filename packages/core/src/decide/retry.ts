import { sha256Hex, type PlanStep, type RunError } from "@runledger/contracts";

/**
 * Returns the delay before the next attempt, or `null` if there is none (D5). The jitter is derived from the attempt
 * (D3): every caller computes the same value, and every step gets another one.
 */
export function retryDelay(
  step: PlanStep,
  failed: { readonly runId: string; readonly stepId: string; readonly attempt: number; readonly budgetFrom?: number },
  error: RunError,
): number | null {
  const { retry } = step;
  if (retry === undefined || !error.retryable || retry.unless.includes(error.code)) return null;
  const tried = failed.attempt - (failed.budgetFrom ?? 1) + 1; // since an operator's reset (K4)
  if (tried >= retry.attempts) return null;
  const full = Math.min(retry.maxDelayMs, retry.delayMs * retry.factor ** (tried - 1));
  const draw = Number.parseInt(sha256Hex(`${failed.runId}|${failed.stepId}|${failed.attempt}`).slice(0, 8), 16);
  return Math.round(full * (0.5 + draw / 2 ** 33)); // 50 to 100 %
}
