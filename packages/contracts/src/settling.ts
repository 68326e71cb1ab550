/**
 * Implemented by an authority that draws numbers before it stores the events, so that gaps appear and fill later (P10).
 */
export interface Settling {
  /**
   * Closes the gaps up to `seq` permanently. A writer that still holds one of these numbers is refused and appends
   * again with a new one. Readers then know that the gap stays.
   */
  settleSeq(params: { readonly runId: string; readonly seq: number }): Promise<void>;
}
