/** The read side of the lanes of the change feed. */
import type { Json, RunChange } from "@runledger/contracts";
import type { DynamoClient } from "./client.js";
import { number, numberOrNull, text, type Item } from "./encoding.js";
import { queryAll } from "./items.js";
import { changeKey, LANE_GROUPS, LANES } from "./lanes.js";
import { padded } from "./table.js";

export interface LaneState {
  /** The last number. 0 if the lane was never used. */
  readonly n: number;
  /** Identifies the change with the last number. */
  readonly mark: string;
  /** Changes up to this number are deleted. */
  readonly pruned: number;
}

/** For each lane the last number that a follower has read, and the mark of that change. */
export interface Position {
  readonly at: readonly number[];
  readonly marks: readonly string[];
}

export interface Change extends RunChange {
  readonly n: number;
  readonly at: number;
  readonly mark: string;
}

const UNUSED: LaneState = { n: 0, mark: "", pruned: 0 };
const zeros = Array.from({ length: LANES }, () => 0);
const noMarks = Array.from({ length: LANES }, () => "");
export const START: Position = { at: zeros, marks: noMarks };
export const lanes: readonly number[] = zeros.map((_, lane) => lane);

export const toPosition = (position: Json): Position => position as unknown as Position;
export const fromPosition = (position: Position): Json => position as unknown as Json;

/** The state of every lane. Few requests, even if nothing has changed. */
export async function readLanes(client: DynamoClient): Promise<readonly LaneState[]> {
  const groups = Array.from({ length: LANE_GROUPS }, (_, group) => queryAll(client, { pk: `LANES#${group}` }));
  const states: LaneState[] = lanes.map(() => UNUSED);
  for (const item of (await Promise.all(groups)).flat()) states[Number(text(item, "sk"))] = toState(item);
  return states;
}

function toState(item: Item): LaneState {
  return { n: number(item, "n"), mark: text(item, "mark"), pruned: numberOrNull(item, "pruned") ?? 0 };
}

/** Changes from number `from` on, ascending. */
export async function readLane(client: DynamoClient, lane: number, from: number, limit: number): Promise<Change[]> {
  const { pk } = changeKey(lane, 0);
  const items = await queryAll(client, { pk, from: padded(from), limit });
  return items.map(toChange);
}

function toChange(item: Item): Change {
  return {
    runId: text(item, "runId"),
    headSeq: number(item, "headSeq"),
    n: Number(text(item, "sk")),
    at: number(item, "at"),
    mark: text(item, "mark"),
  };
}
