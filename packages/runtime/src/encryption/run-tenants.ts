import { DEFAULT_TENANT, type EventLog } from "@runledger/contracts";

const MOST = 50_000;

/** The tenants of runs. They never change, so each run is read at most once while it is remembered. */
export class RunTenants {
  readonly #log: Pick<EventLog, "fetchHeads">;
  readonly #known = new Map<string, string>();

  constructor(log: Pick<EventLog, "fetchHeads">) {
    this.#log = log;
  }

  /** Returns a lookup if all these runs are remembered, otherwise `null`. */
  known(runIds: readonly string[]): ((runId: string) => string) | null {
    const found = new Map(runIds.map((runId) => [runId, this.#known.get(runId)]));
    return runIds.every((runId) => found.get(runId) !== undefined) ? (runId) => found.get(runId)! : null;
  }

  /** Returns a lookup. A run that does not exist yet will belong to the default tenant. */
  async of(runIds: readonly string[]): Promise<(runId: string) => string> {
    const wanted = [...new Set(runIds)];
    const found = new Map(wanted.map((runId) => [runId, this.#known.get(runId)]));
    const unknown = wanted.filter((runId) => found.get(runId) === undefined);
    const heads = unknown.length === 0 ? [] : await this.#log.fetchHeads(unknown);
    for (const { runId, tenantId } of heads) {
      found.set(runId, tenantId);
      this.remember(runId, tenantId);
    }
    return (runId) => found.get(runId) ?? DEFAULT_TENANT;
  }

  async ofOne(runId: string): Promise<string> {
    return (await this.of([runId]))(runId);
  }

  remember(runId: string, tenantId: string): void {
    if (this.#known.size >= MOST) this.#known.clear();
    this.#known.set(runId, tenantId);
  }
}
