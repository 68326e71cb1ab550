import type { CanonicalEngineEvent } from "@runledger/contracts";

/** Events of one run, those behind `afterSeq`, as they are copied. */
export interface RunPart {
  readonly runId: string;
  readonly tenantId: string;
  readonly afterSeq: number;
  readonly events: readonly CanonicalEngineEvent[];
}

/** Where runs are copied to. What it has written it does not write again, however often the copying is stopped. */
export interface CopyTarget extends AsyncDisposable {
  /** Up to which seq it has each of these runs; 0 = nothing. */
  positions(runIds: readonly string[]): Promise<readonly number[]>;
  /** Parts of different runs. What it has when this resolves may still be lost; after `flush` it may not. */
  write(parts: readonly RunPart[]): Promise<void>;
  flush(): Promise<void>;
}
