import type { StoredArtifact } from "./artifacts.js";

/** An artifact whose content was deleted by a policy. Its description stays as long as its run. */
export interface ExpiredArtifact extends StoredArtifact {
  /** ISO 8601. */
  readonly expiredAt: string;
}

/**
 * The reason why the artifacts of a run were kept. `child`: its parent, or a parent of that, is not archived. `forked`: a fork
 * of the run or of its parents exists. `unprojected`: the parent is not known, because the run has no projection.
 */
export type NotExpired = "absent" | "not-archived" | "unprojected" | "child" | "forked";

export type ExpireOutcome =
  | { readonly runId: string; readonly expired: number }
  | { readonly runId: string; readonly expired: 0; readonly reason: NotExpired };

/** Deletes the content of artifacts by their age, and keeps their descriptions (A8). */
export interface ArtifactExpiry {
  /**
   * Lists archived runs of a tenant whose artifacts were never checked under these rules, or are to be checked again. `rules`
   * identifies the policies of the tenant. `limit` defaults to 100.
   */
  listToExpire(params: {
    readonly tenantId: string;
    readonly rules: string;
    readonly limit?: number;
  }): Promise<readonly string[]>;

  /**
   * Records that artifacts of a run have expired, unless a run that may still need them exists. A fork that starts at the same
   * time either keeps them, or is refused if it refers to them. `sweepDeleted` removes their content. Also records when to
   * check the run again: after `nextInMs`, or never under these rules if it is `null`.
   */
  expireArtifacts(params: {
    readonly runId: string;
    readonly rules: string;
    readonly nextInMs: number | null;
    readonly artifacts: readonly StoredArtifact[];
  }): Promise<ExpireOutcome>;

  /** Lists the expired artifacts of a run, oldest first. */
  listExpired(params: { readonly runId: string }): Promise<readonly ExpiredArtifact[]>;

  /** Lists expired artifacts whose content is still in a folder or bucket. `limit` defaults to 100. */
  listUnswept(params: { readonly location: string; readonly limit?: number }): Promise<readonly ExpiredArtifact[]>;

  /** Records that the content of these artifacts was removed. */
  markSwept(params: { readonly uris: readonly string[] }): Promise<void>;
}
