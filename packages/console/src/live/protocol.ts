/** The messages between tabs and the hub. */
import type { Problem, RunEvent, RunListMessage, StreamListQuery } from "@runledger/client";

/** `run`: events after a seq, without payloads. `runs`: the newest runs of a list and its changes. */
export type Subject =
  | { readonly kind: "run"; readonly runId: string; readonly after: number }
  | { readonly kind: "runs"; readonly query: StreamListQuery };

/** `hello` names a lock that the tab holds until it is closed. `id` identifies a watch of the tab. */
export type ToHub =
  | { readonly type: "hello"; readonly lock: string }
  | { readonly type: "watch"; readonly id: number; readonly subject: Subject }
  | { readonly type: "leave"; readonly id: number };

export type HubUpdate =
  | { readonly type: "events"; readonly events: readonly RunEvent[] }
  | { readonly type: "runs"; readonly message: RunListMessage }
  | { readonly type: "connection"; readonly state: "connected" | "lost" }
  | { readonly type: "failed"; readonly problem: Problem };

export type FromHub = HubUpdate & { readonly id: number };
