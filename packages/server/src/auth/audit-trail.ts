/**
 * Writes the audit log. Administrative calls are recorded before they run; denied calls are recorded shortly after. Repeated
 * denials of a minute share an entry, so that they cannot fill the store.
 */
import type { Audit, AuditEntry } from "@runledger/contracts";

const FLUSH_MS = 500;
const WINDOW_MS = 60_000;
/** Different kinds of denials that are distinguished in a minute. Further ones are counted together. */
const MAX_KINDS = 500;

interface Repeated {
  readonly entry: AuditEntry;
  count: number;
}

export interface AuditTrailOptions {
  readonly onError: (error: unknown) => void;
  /** How long repeated denials share an entry. Defaults to a minute. */
  readonly windowMs?: number;
}

export class AuditTrail {
  readonly #audit: Audit;
  readonly #onError: (error: unknown) => void;
  readonly #windowMs: number;
  #pending: AuditEntry[] = [];
  /** Denials of this minute, by kind. The first of each was written at once. */
  #repeated = new Map<string, Repeated>();
  #flushTimer: NodeJS.Timeout | null = null;
  #windowTimer: NodeJS.Timeout | null = null;
  #flushed: Promise<void> = Promise.resolve();

  constructor(audit: Audit, { onError, windowMs = WINDOW_MS }: AuditTrailOptions) {
    this.#audit = audit;
    this.#onError = onError;
    this.#windowMs = windowMs;
  }

  /** Resolves once the entry is stored. A call that cannot be recorded does not run. */
  record(entry: AuditEntry): Promise<void> {
    return this.#audit.recordAudit([entry]);
  }

  recordDenied(entry: AuditEntry): void {
    const isFull = this.#repeated.size >= MAX_KINDS;
    const kind = kindOf(entry);
    const known = this.#repeated.get(kind) ?? (isFull ? this.#repeated.get("") : undefined);
    if (known !== undefined) return void known.count++;
    if (isFull) this.#repeated.set("", { entry: unnamed(entry), count: 1 });
    else this.#addKind(kind, entry);
    this.#windowTimer ??= setTimeout(() => void this.#closeWindow(), this.#windowMs).unref();
  }

  /** Resolves after all earlier entries are stored, including those that are being written. */
  flush(): Promise<void> {
    return (this.#flushed = this.#flushed.then(() => this.#writePending()));
  }

  /** Also writes the repeated denials of this minute. */
  close(): Promise<void> {
    return this.#closeWindow();
  }

  #addKind(kind: string, entry: AuditEntry): void {
    this.#repeated.set(kind, { entry, count: 0 });
    this.#pending.push(entry);
    this.#flushTimer ??= setTimeout(() => void this.flush(), FLUSH_MS);
  }

  #closeWindow(): Promise<void> {
    if (this.#windowTimer !== null) clearTimeout(this.#windowTimer);
    this.#windowTimer = null;
    for (const { entry, count } of this.#repeated.values()) if (count > 0) this.#pending.push({ ...entry, count });
    this.#repeated = new Map();
    return this.flush();
  }

  async #writePending(): Promise<void> {
    if (this.#flushTimer !== null) clearTimeout(this.#flushTimer);
    this.#flushTimer = null;
    const entries = this.#pending;
    this.#pending = [];
    if (entries.length > 0) await this.#audit.recordAudit(entries).catch(this.#onError);
  }
}

/** Denials of unknown callers differ by address and code only: a caller can vary everything else. */
function kindOf({ actorId, address, action, code }: AuditEntry): string {
  return JSON.stringify(actorId === null ? [address, code] : [actorId, address, action, code]);
}

/** Stands for denials of many callers. */
function unnamed(entry: AuditEntry): AuditEntry {
  const unknown = { actor: "unknown", actorKind: "unknown", actorId: null, keyId: null, tenantId: null } as const;
  return { ...entry, ...unknown, target: "calls of many callers", address: "many" };
}
