/**
 * One pass over all policies, in steps of one run or one bounded query. Every step commits by itself, so a pass that was
 * killed is continued by the next one (A5).
 */
import {
  ArtifactsUnavailableError,
  policyFor,
  type DueRun,
  type FullStateStore,
  type RetentionGroup,
  type RetentionPolicy,
} from "@runledger/contracts";
import { expireTenant, type ExpireParts } from "./expire-artifacts.js";

/** The result of a pass. */
export interface RetentionResult {
  archived: number;
  deleted: number;
  /** Number of artifacts whose content expired. */
  artifacts: number;
  /** Number of due runs that were left, by reason. */
  readonly left: Record<string, number>;
  startKeys: number;
  deadLetters: number;
  followers: number;
  auditEntries: number;
}

export interface PassOptions {
  /** Called before every step. `false` stops the pass. */
  readonly mayContinue: () => boolean | Promise<boolean>;
  /** Copies a run before it is archived or deleted. The run is left if it resolves to `false`. */
  readonly copyFirst?: CopyFirst;
}

export type CopyFirst = (runId: string, next: "archive" | "delete") => Promise<boolean>;

const PAGE = 100;

export async function runPass(store: FullStateStore, options: PassOptions): Promise<RetentionResult> {
  const others = { startKeys: 0, deadLetters: 0, followers: 0, auditEntries: 0 };
  const result: RetentionResult = { archived: 0, deleted: 0, artifacts: 0, left: {}, ...others };
  const pass = new Pass(store, options, result);
  await pass.run();
  return result;
}

class Pass {
  readonly #store: FullStateStore;
  readonly #options: PassOptions;
  readonly #result: RetentionResult;
  #outage: ArtifactsUnavailableError | null = null;

  constructor(store: FullStateStore, options: PassOptions, result: RetentionResult) {
    this.#store = store;
    this.#options = options;
    this.#result = result;
  }

  /** A folder or bucket of artifacts that cannot be used stops nothing else: its error is thrown after all other work. */
  async run(): Promise<void> {
    const policies = await this.#store.retention.listPolicies();
    await this.#sweep();
    await this.#retain(policies);
    if (this.#outage !== null) throw this.#outage;
  }

  async #retain(policies: readonly RetentionPolicy[]): Promise<void> {
    if (policies.some(({ kind }) => kind === "runs"))
      for await (const group of groupsOf(this.#store)) {
        if (!(await this.#options.mayContinue())) return;
        await this.#retainGroup(group, policyFor(policies, "runs", group));
      }
    if (policies.some(({ kind }) => kind === "artifacts")) await this.#surviving(() => this.#expire(policies));
    await this.#purge(policies);
  }

  async #expire(policies: readonly RetentionPolicy[]): Promise<void> {
    const { mayContinue } = this.#options;
    const onRun: ExpireParts["onRun"] = async ({ expired, reason }) => {
      this.#result.artifacts += expired;
      if (reason !== undefined) this.#leave(`artifacts-${reason}`);
      await this.#sweep();
    };
    const tenants = new Set<string>();
    for await (const { tenantId } of groupsOf(this.#store)) tenants.add(tenantId);
    for (const tenantId of tenants) await expireTenant({ store: this.#store, policies, mayContinue, onRun }, tenantId);
  }

  async #retainGroup(group: RetentionGroup, policy: RetentionPolicy | undefined): Promise<void> {
    const { archiveAfterMs = null, deleteAfterMs = null } = policy ?? {};
    const firstMs = archiveAfterMs ?? deleteAfterMs;
    if (firstMs !== null) await this.#walk(group, { archived: false, olderThanMs: firstMs }, (id) => this.#archive(id));
    if (deleteAfterMs === null) return;
    const deletable = { archived: true, olderThanMs: deleteAfterMs };
    await this.#surviving(() => this.#walk(group, deletable, (id) => this.#delete(id)));
  }

  /** A page on which no run could be moved stops the walk: the next pass looks again. */
  async #walk(
    group: RetentionGroup,
    filter: { readonly archived: boolean; readonly olderThanMs: number },
    step: (runId: string) => Promise<boolean>,
  ): Promise<void> {
    for (let after: DueRun | undefined; ;) {
      const place = after === undefined ? {} : { after };
      const page = await this.#store.retention.listDue({ ...group, ...filter, ...place, limit: PAGE });
      let moved = 0;
      for (const { runId } of page) {
        if (!(await this.#options.mayContinue())) return;
        if (await step(runId)) moved++;
      }
      after = page.at(-1);
      if (page.length < PAGE || moved === 0) return;
    }
  }

  async #archive(runId: string): Promise<boolean> {
    if (!(await this.#copyFirst(runId, "archive"))) return false;
    const outcome = await this.#store.archive.archiveRun(runId);
    if (outcome.archived) this.#result.archived++;
    else this.#leave(outcome.reason);
    if (!outcome.archived && outcome.reason === "damaged") await this.#store.retention.holdRun(runId);
    return outcome.archived;
  }

  async #delete(runId: string): Promise<boolean> {
    if (!(await this.#copyFirst(runId, "delete"))) return false;
    const outcome = await this.#store.retention.deleteRun(runId);
    if (!outcome.deleted) this.#leave(outcome.reason);
    else this.#result.deleted++;
    await this.#sweep();
    return outcome.deleted || outcome.reason === "child" || outcome.reason === "forked"; // set aside
  }

  async #copyFirst(...step: Parameters<CopyFirst>): Promise<boolean> {
    const { copyFirst } = this.#options;
    const isCopied = copyFirst === undefined || (await copyFirst(...step));
    if (!isCopied) this.#leave("not-copied");
    return isCopied;
  }

  #sweep(): Promise<void> {
    return this.#surviving(async () => {
      while ((await this.#options.mayContinue()) && (await this.#store.retention.sweepDeleted()));
    });
  }

  /** Keeps the error of a folder or bucket that cannot be used until the pass has done the rest. */
  async #surviving(action: () => Promise<void>): Promise<void> {
    try {
      await action();
    } catch (error) {
      if (!(error instanceof ArtifactsUnavailableError)) throw error;
      this.#outage ??= error;
    }
  }

  async #purge(policies: readonly RetentionPolicy[]): Promise<void> {
    if (!(await this.#options.mayContinue())) return;
    Object.assign(this.#result, await this.#store.retention.purge());
    const auditMs = policyFor(policies, "audit")?.deleteAfterMs ?? null;
    if (auditMs !== null) this.#result.auditEntries = await this.#store.audit.pruneAudit({ olderThanMs: auditMs });
  }

  #leave(reason: string): void {
    const { left } = this.#result;
    left[reason] = (left[reason] ?? 0) + 1;
  }
}

/** Lists all groups, or those of one tenant, page by page. */
export async function* groupsOf(
  { retention }: Pick<FullStateStore, "retention">,
  tenant: { readonly tenantId?: string } = {},
): AsyncGenerator<RetentionGroup> {
  for (let after: RetentionGroup | undefined; ;) {
    const page = await retention.listGroups({ ...tenant, ...(after && { after }) });
    yield* page;
    after = page.at(-1);
    if (after === undefined) return;
  }
}
