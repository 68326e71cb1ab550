import type { Ledger } from "../../ledger/ledger.js";
import type { AuditTrail } from "../access/audit-trail.js";
import type { Identify } from "../access/identify.js";
import type { RunLists } from "../runs/run-lists.js";
import type { ListStreams } from "../streams/list-streams.js";
import type { Readers } from "../streams/readers.js";
import type { RunStreams } from "../streams/run-streams.js";
import type { WorkflowSource } from "../workflow-source.js";

/** What handlers work with. */
export interface Api {
  readonly ledger: Ledger;
  readonly workflows: WorkflowSource;
  readonly identify: Identify;
  readonly audit: AuditTrail;
  readonly readers: Readers;
  readonly runLists: RunLists;
  readonly runStreams: RunStreams;
  readonly listStreams: ListStreams;
  /** Told of what went wrong beside a request. */
  readonly onError: (error: unknown) => void;
}
