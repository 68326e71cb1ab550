import type { Json } from "./json.js";

/** Who wants what of which run. */
export interface SignalRequest {
  readonly runId: string;
  readonly tenantId: string;
  readonly namespace: "action" | "signal";
  readonly name: string;
  readonly stepId?: string;
  readonly payload?: Json;
  /** Absent = nobody said who they are. */
  readonly by?: string;
}

/** Decides who may steer a run. Either answer goes on record (G1). */
export interface Authorization {
  authorize(
    request: SignalRequest,
  ): Promise<{ readonly allowed: true } | { readonly allowed: false; readonly reason: string }>;
}
