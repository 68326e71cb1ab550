import type { AppendOptions, NewEvent, RunStart } from "@runledger/contracts";
import type { StoreCall } from "./intercept-store.js";

/** Replaces the times in the arguments of a start or signal call by the test's virtual time. */
export function dated({ name, args }: StoreCall, emittedAt: string): readonly unknown[] {
  if (name === "queue.startRun") {
    const [start] = args as [RunStart];
    const kept = start.kept?.map((event) => ({ ...event, emittedAt }));
    return [{ ...start, event: { ...start.event, emittedAt }, ...(kept && { kept }) }];
  }
  const [events, options] = args as [readonly NewEvent[], AppendOptions?];
  if (name !== "appendEvents" || options?.fence !== undefined) return args;
  return [events.map((event) => ({ ...event, emittedAt })), options];
}
