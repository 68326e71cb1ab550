/** Where the cluster is, and how its executions behave. */
export interface TemporalOptions {
  /** Host and port of the cluster's frontend. Default `127.0.0.1:7233`. */
  readonly address?: string;
  /** Default `default`. */
  readonly namespace?: string;
  /** The queue that all workers of the ledger poll. Default `runledger`. */
  readonly taskQueue?: string;
  /** `true` for TLS with the system's certificates. Default `false`; `true` if there is an API key. */
  readonly tls?: boolean;
  readonly apiKey?: string;
  /**
   * Keys that encrypt everything of a run that reaches the cluster: `id:key` with 32 bytes in base64, the newest first,
   * separated by commas or lines. All of them decrypt. Default: nothing is encrypted.
   */
  readonly payloadKeys?: string;
  /** `http://` or `https://` address of the Temporal UI. The console links runs to it. Default: no links. */
  readonly uiUrl?: string;
  /** Continue as new after this many steps. Default 50. */
  readonly continueAfterSteps?: number;
  /** Continue as new once the history has this many bytes. Default 1 MB. */
  readonly continueAfterBytes?: number;
  /** A worker that is silent for this long loses its activities. Default ten seconds. */
  readonly heartbeatTimeoutMs?: number;
  /** Maximum number of activities of one run at a time. Default 100. */
  readonly maxActivities?: number;
}
