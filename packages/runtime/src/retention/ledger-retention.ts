/** Manages retention policies, and executes them on request. */
import {
  EVERY,
  InputError,
  type FullStateStore,
  type RetentionKind,
  type RetentionPolicy,
  type RetentionTarget,
} from "@runledger/contracts";
import { parseDuration, type Duration } from "@runledger/core";
import { logFault } from "../telemetry/log-handlers.js";
import { reportDue, type DueGroup } from "./due-report.js";
import { FileArchive } from "./file-archive.js";
import { runPass, type RetentionResult } from "./retention-pass.js";

export interface RetentionTargetOptions {
  /** Default `runs`. */
  readonly kind?: RetentionKind;
  /** Default `*`: every tenant without its own policy. */
  readonly tenantId?: string;
  /** Default `*`: every workflow without its own policy. */
  readonly workflowId?: string;
  /** For the kind `artifacts`: the kind of artifact. Default `*`: every kind without its own policy. */
  readonly artifactKind?: string;
}

export interface RetentionPolicyOptions extends RetentionTargetOptions {
  /** How long a finished run stays in the log. Absent: it stays until it is deleted. */
  readonly archiveAfter?: Duration | undefined;
  /** How long the data is kept. Absent: forever. */
  readonly deleteAfter?: Duration | undefined;
}

export interface RetentionRunOptions {
  /** Stops after the current step. */
  readonly signal?: AbortSignal;
  /** Folder, or `s3://bucket/prefix`, to which runs are copied first. Default: runs are not copied. */
  readonly archive?: string | undefined;
  /** Receives the reason why a run could not be copied. Logs it by default. */
  readonly onFault?: (error: unknown) => void;
}

export class LedgerRetention {
  readonly #store: FullStateStore;
  readonly #missing: () => Error;

  /** `missing` makes the error for a store in which artifacts cannot expire. */
  constructor(store: FullStateStore, missing: () => Error) {
    this.#store = store;
    this.#missing = missing;
  }

  /**
   * Creates or replaces a policy: `set({ workflowId: "orders", archiveAfter: "30d", deleteAfter: "365d" })`, or
   * `set({ kind: "artifacts", artifactKind: "log", deleteAfter: "30d" })`.
   */
  async set(options: RetentionPolicyOptions): Promise<RetentionPolicy> {
    const policy = {
      ...targetOf(options),
      archiveAfterMs: readDuration("archiveAfter", options.archiveAfter),
      deleteAfterMs: readDuration("deleteAfter", options.deleteAfter),
    };
    if (policy.kind === "artifacts" && this.#store.expiry === undefined) throw this.#missing();
    await this.#store.retention.setPolicy(policy);
    return policy;
  }

  /** Resolves to `false` if the policy did not exist. */
  remove(options: RetentionTargetOptions): Promise<boolean> {
    return this.#store.retention.removePolicy(targetOf(options));
  }

  /** Lists all policies. */
  list(): Promise<readonly RetentionPolicy[]> {
    return this.#store.retention.listPolicies();
  }

  /** Returns what the policies would do now, for all tenants or for one. Changes nothing. */
  report(options: { readonly tenantId?: string } = {}): Promise<readonly DueGroup[]> {
    return reportDue(this.#store, options);
  }

  /** Executes the policies once. */
  async run({ signal, archive, onFault = logFault("retention") }: RetentionRunOptions = {}): Promise<RetentionResult> {
    const copy = await new FileArchive(archive).open(this.#store, onFault);
    return runPass(this.#store, { mayContinue: () => signal?.aborted !== true, ...copy });
  }
}

function targetOf(options: RetentionTargetOptions): RetentionTarget {
  const { kind = "runs", tenantId = EVERY, artifactKind, workflowId = artifactKind ?? EVERY } = options;
  if (artifactKind === undefined || kind === "artifacts") return { kind, tenantId, workflowId };
  throw new InputError("OPTION_INVALID", "artifactKind", `applies only to artifacts, not to ${kind}. Omit it.`);
}

function readDuration(field: string, value: Duration | undefined): number | null {
  if (value === undefined) return null;
  const ms = parseDuration(value);
  if (ms !== null) return ms;
  throw new InputError("OPTION_INVALID", field, `${value} is not a duration. Use one such as 30d.`);
}
