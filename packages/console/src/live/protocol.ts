/** What tabs and the hub of a browser say to each other. */
import type { Problem, RunEvent, RunListMessage, StreamListQuery } from "@runledger/client";

/** `run`: events behind `after`, without payloads. `runs`: the newest of a list, and what changes in it. */
export type Subject =
  | { readonly kind: "run"; readonly runId: string; readonly after: number }
  | { readonly kind: "runs"; readonly query: StreamListQuery };

/** `hello` names a lock that the tab holds as long as it lives. `id` is the tab's own name for what it watches. */
export type ToHub =
  | { readonly type: "hello"; readonly lock: string }
  | { readonly type: "watch"; readonly id: number; readonly subject: Subject }
  | { readonly type: "leave"; readonly id: number };

export type HubNews =
  | { readonly type: "events"; readonly events: readonly RunEvent[] }
  | { readonly type: "runs"; readonly message: RunListMessage }
  | { readonly type: "connection"; readonly state: "connected" | "lost" }
  | { readonly type: "failed"; readonly problem: Problem };

export type FromHub = HubNews & { readonly id: number };
