import { Connection } from "@temporalio/client";
import type { TemporalSettings } from "../settings.js";

/** After an outage, a channel reconnects within this time. gRPC would wait up to two minutes. */
export const LONGEST_PAUSE_MS = 5000;

/** How every connection reaches the cluster. */
export function accessOf({ address, tls, apiKey }: TemporalSettings): {
  readonly address: string;
  readonly tls: boolean;
  readonly apiKey?: string;
} {
  return { address, tls, ...(apiKey === undefined ? {} : { apiKey }) };
}

/** Connects with the first call. */
export function openConnection(settings: TemporalSettings): Connection {
  return Connection.lazy({
    ...accessOf(settings),
    channelArgs: { "grpc.max_reconnect_backoff_ms": LONGEST_PAUSE_MS },
  });
}
