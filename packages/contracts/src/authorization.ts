import type { Json } from "./json.js";

/** A request to send a signal or an action to a run. */
export interface SignalRequest {
  readonly runId: string;
  readonly tenantId: string;
  readonly namespace: "action" | "signal";
  readonly name: string;
  readonly stepId?: string;
  readonly payload?: Json;
  /** Absent if the caller is unknown. */
  readonly by?: string;
}

/** The answer of an authorization. The log of the run contains the reason of a denial. */
export type AuthorizationAnswer = { readonly allowed: true } | { readonly allowed: false; readonly reason: string };

/** Decides who may send signals and actions to a run. The run's log records either answer (G1, G2). */
export interface Authorization {
  authorize(request: SignalRequest): Promise<AuthorizationAnswer>;
}
