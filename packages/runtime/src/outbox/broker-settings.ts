/**
 * Settings of a subscription that publishes to a broker. The process configures the connection and lists the destinations, so
 * that a tenant who may create subscriptions can neither reach other servers nor write to other destinations.
 */
import { InputError, type BusSettings } from "@runledger/contracts";

/** Returns the destination that the subscription names, or the first one that the process allows. */
export function destinationOf(settings: BusSettings, name: string, allowed: readonly string[]): string {
  const unknown = Object.keys(settings).find((setting) => setting !== "type" && setting !== name);
  if (unknown !== undefined) throw wrong(unknown, `is not a setting of this bus. It has the setting "${name}".`);
  const chosen = settings[name] ?? allowed[0];
  if (typeof chosen !== "string" || !allowed.includes(chosen))
    throw wrong(name, `must be one of ${allowed.join(", ")}.`);
  return chosen;
}

function wrong(setting: string, message: string): InputError {
  return new InputError("SUBSCRIPTION_INVALID", `bus.${setting}`, message);
}
