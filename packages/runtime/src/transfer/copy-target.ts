import type { CanonicalEngineEvent } from "@runledger/contracts";

/** The events of one run after `afterSeq`. */
export interface RunPart {
  readonly runId: string;
  readonly tenantId: string;
  readonly afterSeq: number;
  readonly events: readonly CanonicalEngineEvent[];
  /** The whole run has finished, so no worker may claim it, even if its last part is not written yet. */
  readonly isFinished?: boolean;
}

/** The destination of a copy. It never writes an event twice, no matter how often the copy is interrupted. */
export interface CopyTarget extends AsyncDisposable {
  /** Returns the last seq that the target has of each run; 0 if it has none. */
  positions(runIds: readonly string[]): Promise<readonly number[]>;
  /** Writes parts of different runs. They are durable only after `flush`. */
  write(parts: readonly RunPart[]): Promise<void>;
  flush(): Promise<void>;
}
