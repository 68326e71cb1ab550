/** What a backend can do, as data: the conformance suite, the engine and the docs read it. */
export interface Capabilities {
  /** `runSeq` is exactly 1..n (P2). False = gaps may appear and fill later (P10). */
  readonly contiguous: boolean;
  /** Acknowledged events survive a crash of the machine. */
  readonly durable: boolean;
  /** Most events of one run that one call appends atomically; null = bounded by memory only. */
  readonly maxEventsPerRunAndCall: number | null;
  /** A checkpoint commits with its append (C2). */
  readonly checkpointInAppend: boolean;
  /** How long the coalescer waits for company before it sends; 0 = never (P6). */
  readonly gatheringWindowMs: number;
  /** Of one event's payload (P9). */
  readonly maxPayloadBytes: number;
  /** What one append takes on a store that has nothing else to do, about. */
  readonly typicalAppendMs: number;
  /** How far a reader may be behind that asks no oftener than the backend likes to be asked; 0 = as often as it likes. */
  readonly lagMs: number;
}
