import type {
  AppendOptions,
  AppendResult,
  EventLog,
  IRunStateStore,
  NewEvent,
  StateStore,
  TenantStore,
} from "@runledger/contracts";

type Append = (events: readonly NewEvent[], options?: AppendOptions) => Promise<readonly AppendResult[]>;
type Log = IRunStateStore & EventLog;

export interface Mutation {
  /** Replaces every way to append, including a tenant's. `next` is the correct one. */
  readonly append?: (next: Append, ...call: Parameters<Append>) => ReturnType<Append>;
  /** Replaces methods of the log, including a tenant's. */
  readonly log?: (real: Log) => Partial<Log>;
  /** Replaces ports and methods of the store as a whole. */
  readonly store?: (real: StateStore) => Partial<StateStore>;
}

/** Returns a store that behaves like the real one, except for the mutation. */
export function mutant(real: StateStore, mutation: Mutation): StateStore {
  const tenant = (tenantId: string): TenantStore => {
    const scoped = real.forTenant(tenantId);
    return overlay<TenantStore>(scoped, logOf(scoped, mutation));
  };
  return overlay(real, { forTenant: tenant, ...logOf(real, mutation), ...mutation.store?.(real) });
}

function logOf(real: Log, { append, log }: Mutation): Partial<Log> {
  if (append === undefined) return log?.(real) ?? {};
  const next: Append = (events, options) => real.appendEvents(events, options);
  return {
    appendEvents: (events, options) => append(next, events, options),
    appendEvent: async (event) => (await append(next, [event]))[0]!,
    ...log?.(real),
  };
}

/** Returns `over` on top of `real`, whose methods keep their `this`. */
export function overlay<T extends object>(real: T, over: Partial<T>): T {
  return new Proxy(real, {
    get(target, name) {
      if (Object.hasOwn(over, name)) return Reflect.get(over, name) as unknown;
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
}
