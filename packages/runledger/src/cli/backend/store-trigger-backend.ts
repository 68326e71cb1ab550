import { DEFAULT_TENANT, InputError, type Json } from "@runledger/contracts";
import type { TriggerTest } from "@runledger/runtime";
import { viewTrigger, type TriggerView } from "@runledger/runtime/triggers/trigger-view";
import type { StoreBackendOptions } from "./store-backend.js";
import type { TriggerBackend, TriggerParams } from "./trigger-backend.js";

const PAGE = 1000;

export class StoreTriggerBackend implements TriggerBackend {
  readonly #options: StoreBackendOptions;
  readonly #tenant: { readonly tenantId: string };

  constructor(options: StoreBackendOptions) {
    this.#options = options;
    this.#tenant = { tenantId: options.tenantId ?? DEFAULT_TENANT };
  }

  get #triggers() {
    return this.#options.ledger.triggers;
  }

  async list(): Promise<readonly TriggerView[]> {
    const found: TriggerView[] = [];
    for (let afterId = ""; ;) {
      const page = await this.#triggers.list({ ...this.#tenant, afterId, limit: PAGE });
      found.push(...page.map(viewTrigger));
      if (page.length < PAGE) return found;
      afterId = page.at(-1)!.triggerId;
    }
  }

  async get(triggerId: string): Promise<TriggerView> {
    const found = await this.#triggers.get(triggerId, this.#tenant);
    if (found !== null) return viewTrigger(found);
    const message = `${triggerId} does not exist. Run runledger triggers list to see all triggers.`;
    throw new InputError("TRIGGER_NOT_FOUND", "id", message);
  }

  /** Without a project, the settings of sources other than webhooks are not checked. */
  async put(id: string, params: TriggerParams): Promise<TriggerView> {
    const project = await this.#options.project();
    this.#triggers.use(project?.config.triggers ?? {});
    return viewTrigger(await this.#triggers.put({ id, ...this.#tenant, ...params }));
  }

  async pause(id: string): Promise<TriggerView> {
    return viewTrigger(await this.#triggers.pause(id, this.#tenant));
  }

  async resume(id: string): Promise<TriggerView> {
    return viewTrigger(await this.#triggers.resume(id, this.#tenant));
  }

  remove(id: string): Promise<void> {
    return this.#triggers.remove(id, this.#tenant);
  }

  test(id: string, event: Json): Promise<TriggerTest> {
    return this.#triggers.test(id, event, this.#tenant);
  }
}
