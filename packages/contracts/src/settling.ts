/** Of an authority that draws numbers before it stores what they are for, so that gaps appear and fill later (P10). */
export interface Settling {
  /**
   * Gives up what is missing up to `seq`: whoever still holds one of these numbers is refused, and appends again with
   * another. From here on the gap is known to stay, not guessed.
   */
  settleSeq(params: { readonly runId: string; readonly seq: number }): Promise<void>;
}
