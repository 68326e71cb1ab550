import type { CanonicalEngineEvent, FullStateStore } from "@runledger/contracts";

/** One call of a store, before it is made. */
export interface StoreCall {
  /** `appendEvents`, `queue.parkRun`, … */
  readonly name: string;
  readonly args: readonly unknown[];
  /** Makes the call. It may be made late, repeatedly or with other arguments. */
  readonly proceed: (args?: readonly unknown[]) => Promise<unknown>;
}

/** Replaces a call: it may make, delay, repeat, reject or drop the call. */
export type Around = (call: StoreCall) => Promise<unknown>;

const LEFT_ALONE = new Set(["close", "constructor"]);

/** Wraps a store so that every call of every port goes through `around`. */
export function interceptStore(store: FullStateStore, around: Around): FullStateStore {
  return intercept(store, "", around) as FullStateStore;
}

function intercept(target: object, prefix: string, around: Around): object {
  const known = new Map<PropertyKey, unknown>();
  return new Proxy(target, {
    get: (_, property) => {
      if (!known.has(property)) known.set(property, wrapped(target, property, prefix, around));
      return known.get(property);
    },
  });
}

function wrapped(target: object, property: PropertyKey, prefix: string, around: Around): unknown {
  const value: unknown = Reflect.get(target, property);
  if (typeof property === "symbol" || LEFT_ALONE.has(String(property))) return bound(target, value);
  const name = prefix + String(property);
  if (isPort(value)) return intercept(value, `${name}.`, around);
  if (typeof value !== "function") return value;
  const call = (args: readonly unknown[]): unknown => Reflect.apply(value, target, args);
  if (name === "streamEvents") return streamed(call as (args: readonly unknown[]) => Stream, around);
  if (name === "forTenant") return (tenant: string) => intercept(call([tenant]) as object, prefix, around);
  return (...args: readonly unknown[]) => around({ name, args, proceed: async (others = args) => call(others) });
}

/** Objects with methods are ports; anything else is data. */
function isPort(value: unknown): value is object {
  return typeof value === "object" && value !== null && Object.values(value).some((each) => typeof each === "function");
}

function bound(target: object, value: unknown): unknown {
  return typeof value === "function" ? (value.bind(target) as unknown) : value;
}

type Stream = AsyncIterable<CanonicalEngineEvent>;

/** Reads the stream as a whole, because test runs are short. */
function streamed(call: (args: readonly unknown[]) => Stream, around: Around) {
  return async function* (...args: readonly unknown[]): AsyncGenerator<CanonicalEngineEvent> {
    const proceed = async (others = args): Promise<CanonicalEngineEvent[]> => {
      const events: CanonicalEngineEvent[] = [];
      for await (const event of call(others)) events.push(event);
      return events;
    };
    yield* (await around({ name: "streamEvents", args, proceed })) as CanonicalEngineEvent[];
  };
}
