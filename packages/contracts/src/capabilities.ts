/** The abilities of a backend, as data. The conformance suite, the engine and the docs read them. */
export interface Capabilities {
  /** `true` if `runSeq` is exactly 1..n (P2); `false` if gaps may appear and fill later (P10). */
  readonly contiguous: boolean;
  /** `true` if acknowledged events survive a crash of the machine. */
  readonly durable: boolean;
  /** Maximum number of events of one run that one call appends atomically. `null` if only memory limits it. */
  readonly maxEventsPerRunAndCall: number | null;
  /** Maximum size of the payloads of one run that one call appends atomically. Absent if only memory limits it. */
  readonly maxBytesPerRunAndCall?: number;
  /** `true` if a checkpoint commits with its append (C2). */
  readonly checkpointInAppend: boolean;
  /** Time the coalescer waits for further calls before it sends a batch. 0 if it does not wait (P6). */
  readonly gatheringWindowMs: number;
  /** Maximum size of one event's payload (P9). */
  readonly maxPayloadBytes: number;
  /** Approximate duration of one append on an idle store. */
  readonly typicalAppendMs: number;
  /** Time a reader may lag behind if it polls no more often than the backend prefers. 0 if it may poll at any rate. */
  readonly lagMs: number;
}
