import type { Json } from "@runledger/contracts";
import type { TriggerOptions, TriggerTest } from "@runledger/runtime";
import type { TriggerView } from "@runledger/runtime/triggers/trigger-view";

/** The operations on triggers that commands need. */
export interface TriggerBackend {
  list(): Promise<readonly TriggerView[]>;
  get(triggerId: string): Promise<TriggerView>;
  put(triggerId: string, params: TriggerParams): Promise<TriggerView>;
  pause(triggerId: string): Promise<TriggerView>;
  resume(triggerId: string): Promise<TriggerView>;
  remove(triggerId: string): Promise<void>;
  /** Returns what an event would start. */
  test(triggerId: string, event: Json): Promise<TriggerTest>;
}

export type TriggerParams = Omit<TriggerOptions, "id" | "tenantId" | "from"> & { readonly from?: string };
