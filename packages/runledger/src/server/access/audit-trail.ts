/**
 * The audit as the server writes it: what is administered before it is done, what was denied soon after. A flood of
 * denied calls is counted beyond what fits, so that it cannot fill the store.
 */
import type { FastifyRequest } from "fastify";
import type { Audit, AuditEntry, ErrorCode } from "@runledger/contracts";
import type { Caller } from "./caller.js";

const FLUSH_MS = 500;
const MOST_WAITING = 500;

export class AuditTrail {
  readonly #audit: Audit;
  readonly #onError: (error: unknown) => void;
  #waiting: AuditEntry[] = [];
  #leftOut = 0;
  #timer: NodeJS.Timeout | null = null;
  #flushed: Promise<void> = Promise.resolve();

  constructor(audit: Audit, onError: (error: unknown) => void) {
    this.#audit = audit;
    this.#onError = onError;
  }

  /** Resolves when it is stored: what cannot be recorded is not done. */
  write(entry: AuditEntry): Promise<void> {
    return this.#audit.recordAudit([entry]);
  }

  denied(entry: AuditEntry): void {
    if (this.#waiting.length >= MOST_WAITING) this.#leftOut++;
    else this.#waiting.push(entry);
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_MS);
  }

  /** Who asks while others are being written waits for those too. */
  flush(): Promise<void> {
    return (this.#flushed = this.#flushed.then(() => this.#writeWaiting()));
  }

  async #writeWaiting(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const [entries, leftOut] = [this.#waiting, this.#leftOut];
    this.#waiting = [];
    this.#leftOut = 0;
    const last = entries.at(-1);
    if (last === undefined) return;
    const more = leftOut === 0 ? [] : [{ ...last, tenantId: null, target: `${leftOut} more calls were denied` }];
    await this.#audit.recordAudit([...entries, ...more]).catch(this.#onError);
  }
}

export function auditEntry(
  request: FastifyRequest,
  said: { readonly caller: Caller | undefined; readonly action: string; readonly code?: ErrorCode },
): AuditEntry {
  const { caller, action, code = null } = said;
  return {
    tenantId: caller?.tenantId ?? null,
    actor: caller?.name ?? "unknown",
    action,
    target: `${request.method} ${pathOf(request)}`,
    outcome: code === null ? "allowed" : "denied",
    code,
    requestId: request.id,
    address: request.ip,
  };
}

/** Without the query, which may hold what is nobody's business, and not longer than a path of ours. */
export function pathOf({ url }: FastifyRequest): string {
  return (url.split("?")[0] ?? "").slice(0, 500).replaceAll(/[^\u0021-\u007e]/g, "?");
}
