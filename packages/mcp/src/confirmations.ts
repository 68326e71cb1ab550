/**
 * Confirmations of actions. A token stands for one action on one run as it was previewed, acts at most once, and expires.
 * Its action has one id, so that a call that is repeated after a lost response has no second effect.
 */
import { randomBytes } from "node:crypto";
import { InputError, newId, RunledgerError } from "@runledger/contracts";
import type { Action } from "@runledger/core";

export interface Intent {
  readonly runId: string;
  readonly action: Action;
  readonly stepId?: string;
}

/** An action that was previewed. */
export interface Pending extends Intent {
  readonly signalId: string;
  /** Describes the run as it was previewed. */
  readonly standing: string;
  /** `true` once the action was sent. Its outcome may be unknown. */
  readonly isSent: boolean;
}

interface Stored {
  pending: Pending;
  readonly expiresAt: number;
}

const CONFIRM_WITHIN_MS = 5 * 60_000;
const MAX_PENDING = 100;

export class Confirmations {
  readonly #stored = new Map<string, Stored>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  issue(intent: Intent, standing: string): { readonly token: string; readonly expiresAt: string } {
    const token = `confirm_${randomBytes(18).toString("base64url")}`;
    const expiresAt = this.#now() + CONFIRM_WITHIN_MS;
    this.#stored.set(token, { pending: pendingOf(intent, standing), expiresAt });
    if (this.#stored.size > MAX_PENDING) this.#stored.delete(this.#stored.keys().next().value!);
    return { token, expiresAt: new Date(expiresAt).toISOString() };
  }

  /**
   * Calls `act` with what the token stands for. The token stays valid only if the outcome is unknown or a later try may
   * succeed. `act` calls `onSend` when it sends the action: until then, another try compares the run with its preview again.
   */
  async use<T>(token: string, intent: Intent, act: (pending: Pending, onSend: () => void) => Promise<T>): Promise<T> {
    const stored = this.#find(token, intent);
    this.#stored.delete(token); // a second call at the same time finds nothing
    let { pending } = stored;
    try {
      return await act(pending, () => void (pending = { ...pending, isSent: true }));
    } catch (error) {
      if (error instanceof RunledgerError && error.family === "retry") this.#stored.set(token, { ...stored, pending });
      throw error;
    }
  }

  #find(token: string, intent: Intent): Stored {
    const stored = this.#stored.get(token);
    if (stored === undefined || stored.expiresAt <= this.#now())
      throw invalid("is unknown, was used or has expired. Call the tool without it to get a new one.");
    const { runId, action, stepId } = stored.pending;
    if (runId !== intent.runId || action !== intent.action || stepId !== intent.stepId)
      throw invalid("was issued for another run, action or step. Call the tool without it to get a new one.");
    return stored;
  }
}

export function pendingOf(intent: Intent, standing: string): Pending {
  return { ...intent, standing, signalId: newId("mcp"), isSent: false };
}

export function invalid(problem: string): InputError {
  return new InputError("CONFIRMATION_INVALID", "confirmation", problem);
}
