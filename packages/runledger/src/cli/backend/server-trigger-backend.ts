import type { RunledgerClient } from "@runledger/client";
import { omitUndefined, type Json } from "@runledger/contracts";
import type { TriggerTest } from "@runledger/runtime";
import type { TriggerView } from "@runledger/runtime/triggers/trigger-view";
import { allPages } from "./all-pages.js";
import type { TriggerBackend, TriggerParams } from "./trigger-backend.js";

export class ServerTriggerBackend implements TriggerBackend {
  readonly #client: RunledgerClient;

  constructor(client: RunledgerClient) {
    this.#client = client;
  }

  list(): Promise<readonly TriggerView[]> {
    return allPages((after) => this.#client.listTriggers(omitUndefined({ after })));
  }

  get(triggerId: string): Promise<TriggerView> {
    return this.#client.getTrigger(triggerId);
  }

  put(triggerId: string, params: TriggerParams): Promise<TriggerView> {
    return this.#client.putTrigger(triggerId, params);
  }

  pause(triggerId: string): Promise<TriggerView> {
    return this.#client.pauseTrigger(triggerId);
  }

  resume(triggerId: string): Promise<TriggerView> {
    return this.#client.resumeTrigger(triggerId);
  }

  remove(triggerId: string): Promise<void> {
    return this.#client.removeTrigger(triggerId);
  }

  async test(triggerId: string, event: Json): Promise<TriggerTest> {
    return (await this.#client.testTrigger(triggerId, { event })) as TriggerTest;
  }
}
