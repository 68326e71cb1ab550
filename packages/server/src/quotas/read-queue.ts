/**
 * Lets each tenant do a few large calls at a time. Further ones wait for their turn, while other tenants are served. If
 * several tenants send requests, a turn is followed by a pause of the same length: a tenant's large calls leave half of
 * the time to the others.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { RateLimitError } from "@runledger/contracts";
import { ActiveTenants } from "./active-tenants.js";

const AT_A_TIME = 2;
const MAX_WAITING = 1000;
const RETRY_MS = 1000;
const MAX_PAUSE_MS = 1000;

interface Tenant {
  running: number;
  readonly waiting: (() => void)[];
}

export interface ReadQueueParts {
  readonly now: () => number;
  readonly wait: (ms: number) => Promise<unknown>;
}

export class ReadQueue {
  readonly #tenants = new Map<string, Tenant>();
  readonly #active = new ActiveTenants();
  readonly #parts: ReadQueueParts;

  constructor(parts: ReadQueueParts = { now: () => performance.now(), wait: sleep }) {
    this.#parts = parts;
  }

  /** Notes any request of a tenant. */
  noteRequest(tenantId: string): void {
    this.#active.note(tenantId, this.#parts.now());
  }

  /** Throws RATE_LIMITED if too many calls of the tenant wait. */
  async take<T>(tenantId: string, work: () => Promise<T>): Promise<T> {
    const tenant = this.#tenants.get(tenantId) ?? { running: 0, waiting: [] };
    this.#tenants.set(tenantId, tenant);
    if (tenant.running < AT_A_TIME) tenant.running++;
    else await this.#wait(tenant);
    const startedAt = this.#parts.now();
    try {
      return await work();
    } finally {
      void this.#pause(tenantId, startedAt).then(() => this.#pass(tenantId, tenant));
    }
  }

  /** The turn passes from one call to the next, so `running` stays the same. */
  #wait({ waiting }: Tenant): Promise<void> {
    if (waiting.length >= MAX_WAITING)
      throw new RateLimitError(`${MAX_WAITING} large reads of the tenant are waiting. Send fewer at a time.`, RETRY_MS);
    return new Promise((resolve) => void waiting.push(resolve));
  }

  async #pause(tenantId: string, startedAt: number): Promise<void> {
    const now = this.#parts.now();
    if (this.#active.hasOther(tenantId, now)) await this.#parts.wait(Math.min(now - startedAt, MAX_PAUSE_MS));
  }

  #pass(tenantId: string, tenant: Tenant): void {
    const next = tenant.waiting.shift();
    if (next !== undefined) return next();
    if (--tenant.running === 0) this.#tenants.delete(tenantId);
  }
}
