/** The state of the page's live stream. `idle` if the page has none. */
import { useSyncExternalStore } from "react";

export type Connection = "connected" | "lost" | "idle";

let connection: Connection = "idle";
const listeners = new Set<() => void>();

export function setConnection(next: Connection): void {
  if (next === connection) return;
  connection = next;
  for (const listener of listeners) listener();
}

export function useConnection(): Connection {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => connection,
  );
}
