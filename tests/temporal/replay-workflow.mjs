/** Temporal's own bundler takes it from here: what it runs is bundled with core as it was built. */
import { replay } from "../histories/replay.mjs";

/**
 * Throws on a difference. A wrong result on record alone would pass: results are not compared when a workflow is replayed.
 * @param {import("../histories/replay.mjs").History} history
 */
export async function replayHistory(history) {
  replay(history);
  return history.events.length;
}
