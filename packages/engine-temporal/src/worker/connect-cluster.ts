/** The two connections to a cluster: one of the dispatcher, and one of the SDK's worker. */
import type { Timers } from "@runledger/runtime/time/timers";
import { retry } from "@runledger/runtime/time/retry";
import type { Connection } from "@temporalio/client";
import { NativeConnection } from "@temporalio/worker";
import { accessOf, LONGEST_PAUSE_MS, openConnection } from "../client/open-connection.js";
import type { TemporalSettings } from "../settings.js";

export interface ClusterConnections {
  readonly connection: Connection;
  readonly native: NativeConnection;
  close(): Promise<void>;
}

/** A worker may start before its cluster: it reports why it waits, and connects as soon as the cluster answers. */
export async function connectCluster(
  settings: TemporalSettings,
  timers: Timers,
  report: (error: Error) => void,
): Promise<ClusterConnections> {
  const policy = { timers, delayMs: 500, maxDelayMs: LONGEST_PAUSE_MS };
  const native = await retry(() => NativeConnection.connect(accessOf(settings)), {
    ...policy,
    shouldRetry: (error) => {
      if ((error as Error).name !== "TransportError") return false;
      report(new Error(`The worker waits for the Temporal server at ${settings.address}, which does not respond.`));
      return true;
    },
  });
  const connection = openConnection(settings);
  const close = async (): Promise<void> => {
    await native.close();
    await connection.close();
  };
  return { connection, native, close };
}
