/** Limits what one key, tenant or address can use of this server. */
import type { FastifyRequest } from "fastify";
import type { Caller } from "../auth/caller.js";
import { addressSubject } from "./address-subject.js";
import { CallerQuota, type Subject } from "./caller-quota.js";
import { completeQuota } from "./check-quota.js";
import { DEFAULT_QUOTAS, type QuotaOptions } from "./quota-options.js";
import { Spending } from "./spending.js";

export class Quotas {
  readonly #key: Spending;
  readonly #tenant: Spending;
  readonly #address: Spending;

  constructor({ key, tenant, address }: QuotaOptions = {}) {
    this.#key = new Spending(completeQuota("key", DEFAULT_QUOTAS.key, key));
    this.#tenant = new Spending(completeQuota("tenant", DEFAULT_QUOTAS.tenant, tenant));
    this.#address = new Spending(completeQuota("address", DEFAULT_QUOTAS.address, address));
  }

  /** The quota of a request whose caller is not known yet, or remains unknown. */
  ofAddress({ ip }: Pick<FastifyRequest, "ip">): CallerQuota {
    return new CallerQuota(this.#addressOf(ip));
  }

  /** The quota of a known caller. The owner of the machine, who uses the token of the data directory, has no limits. */
  ofCaller({ credential, tenantId }: Caller): CallerQuota {
    if (credential.startsWith("local:")) return new CallerQuota([]);
    return new CallerQuota([
      { kind: "key", name: credential, spending: this.#key },
      { kind: "tenant", name: tenantId, spending: this.#tenant },
    ]);
  }

  #addressOf(ip: string): Subject[] {
    const name = addressSubject(ip);
    return name === null ? [] : [{ kind: "address", name, spending: this.#address }];
  }
}
