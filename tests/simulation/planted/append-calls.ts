import type { AppendOptions, NewEvent } from "@runledger/contracts";
import type { StoreCall } from "@runledger/runtime/testing/intercept-store";

export interface AppendCall {
  readonly events: readonly NewEvent[];
  readonly options: AppendOptions;
}

export function appendOf({ args }: StoreCall): AppendCall {
  const [events, options = {}] = args as [readonly NewEvent[], AppendOptions?];
  return { events, options };
}

export function without<K extends keyof AppendOptions>(options: AppendOptions, name: K): Omit<AppendOptions, K> {
  const { [name]: _, ...rest } = options;
  return rest;
}
