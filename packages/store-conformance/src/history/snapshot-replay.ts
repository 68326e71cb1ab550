import { sha256Hex, type Checkpoint, type Json, type RunSnapshot } from "@runledger/contracts";
import { evolveAll, fromRunSnapshot, initialState, toRunSnapshot } from "@runledger/core";
import type { Replay } from "./checkpoints.js";
import { digestOf } from "./digest.js";

/** A checkpoint whose data is a snapshot. The suite saves these, because every store can fold one. */
export function snapshotCheckpoint(snapshot: RunSnapshot): Checkpoint {
  const data = JSON.stringify(snapshot);
  return { runId: snapshot.runId, seq: snapshot.lastEventSeq, format: 1, data, checksum: sha256Hex(data) };
}

/** Resumes from such checkpoints. */
export const snapshotReplay: Replay = (runId, events, from) => {
  const state = from === null ? initialState(runId) : fromRunSnapshot(JSON.parse(from.data) as RunSnapshot);
  return digestOf(toRunSnapshot(evolveAll(state, events)) as unknown as Json);
};
