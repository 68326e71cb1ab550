import type { RunIndex } from "@runledger/contracts";
import type { CachedRuns } from "@runledger/runtime/cache/cached-runs";
import type { Ledger } from "@runledger/runtime/ledger/ledger";
import type { AuditTrail } from "../auth/audit-trail.js";
import type { Authenticator } from "../auth/authenticator.js";
import type { WorkflowSource } from "../catalog/workflow-source.js";
import type { Quotas } from "../quotas/quotas.js";
import type { ReadQueue } from "../quotas/read-queue.js";
import type { SlowRefusals } from "../quotas/slow-refusals.js";
import type { ListStreams } from "../streams/list-streams.js";
import type { OpenStreams } from "../streams/open-streams.js";
import type { RunStreams } from "../streams/run-streams.js";

/** The services that handlers use. */
export interface Api {
  readonly ledger: Ledger;
  readonly workflows: WorkflowSource;
  readonly authenticator: Authenticator;
  readonly audit: AuditTrail;
  readonly quotas: Quotas;
  readonly readQueue: ReadQueue;
  readonly slowRefusals: SlowRefusals;
  /** Reads runs and their steps through the cache of this server. */
  readonly cachedRuns: CachedRuns;
  readonly openStreams: OpenStreams;
  readonly runLists: Pick<RunIndex, "listRuns">;
  readonly runStreams: RunStreams;
  readonly listStreams: ListStreams;
  /** The UI of the platform that executes runs. `undefined` if there is none. */
  readonly engineUiUrl: string | undefined;
  /** The same services for callers who may not see payloads. Absent if payloads are not encrypted. */
  readonly concealed?: Api;
  /** Reports an error that is not part of a response. */
  readonly onError: (error: unknown) => void;
}
