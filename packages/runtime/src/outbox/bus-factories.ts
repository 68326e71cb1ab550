/** The buses that a process knows by the type in a subscription. */
import { InputError, type BusSettings, type FullStateStore } from "@runledger/contracts";
import type { BusFactory } from "./event-bus.js";
import { openLineageBus } from "./openlineage/openlineage-bus.js";
import { webhookBus } from "./webhook/webhook-bus.js";

export interface BusOptions {
  /** Buses besides `webhook` and `openlineage`, by the type that subscriptions name. */
  readonly buses?: Readonly<Record<string, BusFactory>>;
  /**
   * Addresses and subnets of the internal network that webhooks and OpenLineage subscriptions may call, such as `10.1.0.0/16`.
   * By default they may call public addresses only.
   */
  readonly allowAddresses?: readonly string[];
}

export function busFactories(
  { buses = {}, allowAddresses: allow = [] }: BusOptions,
  store: Pick<FullStateStore, "forTenant">,
): ReadonlyMap<string, BusFactory> {
  const logOf = (tenantId: string) => store.forTenant(tenantId);
  return new Map<string, BusFactory>([
    ["webhook", webhookBus({ allow })],
    ["openlineage", openLineageBus({ allow, logOf })],
    ...Object.entries(buses),
  ]);
}

/** A type that this process does not know may be known to another one, so only its name is checked. */
export function checkBus(factories: ReadonlyMap<string, BusFactory>, settings: BusSettings): void {
  if (typeof settings?.type !== "string" || settings.type === "")
    throw new InputError("SUBSCRIPTION_INVALID", "bus.type", 'must name a bus, such as "webhook".');
  factories.get(settings.type)?.check?.(settings);
}
