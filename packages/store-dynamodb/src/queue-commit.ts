/** Writes what a claim has chosen: a few runs in each transaction, each with the state that all claims share. */
import type { HeldRun, Limit } from "@runledger/contracts";
import { countStarts, nextTurn, type TenantTurn } from "@runledger/core/store";
import type { WriteAction } from "./actions.js";
import { equals } from "./conditions.js";
import type { Db } from "./db.js";
import { Cancelled } from "./errors.js";
import type { HeadItem } from "./heads.js";
import { measureBegins, noteBegin } from "./limits.js";
import { TTL } from "./migrate.js";
import { turnKey, type Turns } from "./queue-choice.js";
import { writeRow, type QueueRow } from "./queue-rows.js";
import { nextState, workerKey, type QueueState } from "./queue-state.js";
import { headKey } from "./table.js";

/** A change of the owner of a run. */
export interface Take {
  readonly before: QueueRow;
  readonly after: QueueRow;
  readonly head: HeadItem;
  /** `true` if the run starts. */
  readonly begins: boolean;
}

export interface Commit {
  readonly workerId: string;
  readonly now: number;
  readonly state: QueueState;
  readonly limits: readonly Limit[];
  readonly turns: Turns;
}

/** Leaves room for the state, the worker and turns. */
const MAX_ACTIONS_OF_RUNS = 70;
const MAX_NEW_TURNS = 20;

interface Batch {
  readonly takes: Take[];
  readonly actions: WriteAction[];
  /** The run of each action. */
  readonly runIds: string[];
}

/**
 * Returns the runs that are the worker's now. If another process changed something meanwhile, `conflicts` names the runs that
 * it changed; runs of earlier transactions stay claimed.
 */
export async function commitClaim(
  db: Db,
  commit: Commit,
  takes: readonly Take[],
): Promise<{ readonly runs: readonly HeldRun[]; readonly conflicts: readonly string[] | null }> {
  const batches = await inBatches(db, commit, takes);
  const runs: HeldRun[] = [];
  let { state, turns } = commit;
  for (const batch of batches) {
    const next = afterBatch(state, turns, batch, commit.now);
    const shared = sharedActions(state, next, commit.workerId);
    const conflicts = await write(db, [...batch.actions, ...shared], batch.runIds);
    if (conflicts !== null) return { runs, conflicts };
    [state, turns] = [next.state, next.turns];
    for (const take of batch.takes) remember(db, take);
    runs.push(...batch.takes.filter(({ after }) => after.owner !== null).map(toHeld));
  }
  const begun = takes.filter(({ begins }) => begins).map(({ after }) => after);
  if (begun.length > 0) await measureBegins(db.client, commit.limits, begun, commit.now);
  return { runs, conflicts: null };
}

async function inBatches({ client }: Db, { limits, now }: Commit, takes: readonly Take[]): Promise<Batch[]> {
  const batches: Batch[] = [];
  for (const take of takes) {
    const { before, after, head, begins } = take;
    const actions = [
      takeHead(head, after.owner),
      ...(await writeRow(client, before, after)),
      ...(begins ? noteBegin(limits, after, now) : []),
    ];
    const last = batches.at(-1);
    const isFull = last === undefined || last.actions.length + actions.length > MAX_ACTIONS_OF_RUNS;
    const batch = isFull ? { takes: [], actions: [], runIds: [] } : last;
    if (isFull) batches.push(batch);
    batch.takes.push(take);
    batch.actions.push(...actions);
    batch.runIds.push(...actions.map(() => after.runId));
  }
  return batches;
}

function takeHead({ runId, headSeq, leaseEpoch }: HeadItem, owner: string | null): WriteAction {
  const set = { leaseEpoch: leaseEpoch + 1, leaseOwner: owner };
  return { kind: "update", key: headKey(runId), set, when: equals({ headSeq, leaseEpoch }) };
}

interface Next {
  readonly state: QueueState;
  readonly turns: Turns;
  readonly changed: ReadonlyMap<string, TenantTurn>;
}

/** A served tenant moves behind all waiting ones. */
function afterBatch(state: QueueState, turns: Turns, { takes }: Batch, now: number): Next {
  const begun = takes.filter(({ begins }) => begins);
  const changed = new Map<string, TenantTurn>(turns.added.slice(0, MAX_NEW_TURNS).map((id) => [id, turns.of.get(id)!]));
  let { served } = state;
  for (const tenantId of new Set(begun.map(({ after }) => after.tenantId))) {
    const runs = begun.filter(({ after }) => after.tenantId === tenantId).length;
    const turn = nextTurn(turns.of.get(tenantId)!, state.served, runs);
    served = Math.max(served, turn - 1);
    changed.set(tenantId, { turn, since: now + changed.size / 1000 });
  }
  const rate = begun.length === 0 ? state.rate : countStarts(state.rate, begun.length, now);
  const rates = rate === undefined ? {} : { rate };
  return {
    state: { ...state, version: state.version + 1, at: now, served, ...rates },
    turns: { served, of: new Map([...turns.of, ...changed]), added: [] },
    changed,
  };
}

/** Turns of tenants that have queued nothing for long are forgotten. */
const TURN_TTL_S = 7 * 24 * 3600;

function sharedActions(before: QueueState, next: Next, workerId: string): WriteAction[] {
  const { state, changed } = next;
  const ttl = Math.ceil(state.at / 1000) + TURN_TTL_S;
  const turns = [...changed].map(([tenantId, { turn, since }]): WriteAction => {
    return { kind: "put", item: { ...turnKey(tenantId), turn, since, [TTL]: ttl } };
  });
  const worker: WriteAction = { kind: "check", key: workerKey(workerId), when: equals({ retired: null, swept: null }) };
  return [nextState(before, state), worker, ...turns];
}

/** Returns `null` if it was written, otherwise the runs whose conditions failed. */
async function write({ client }: Db, actions: readonly WriteAction[], runIds: readonly string[]) {
  try {
    await client.transact(actions);
    return null;
  } catch (error) {
    if (!(error instanceof Cancelled)) throw error;
    return runIds.filter((_, index) => error.failed(index));
  }
}

/** The next append of this process need not read the head. */
function remember({ heads }: Db, { head, after }: Take): void {
  heads.set(head.runId, { ...head, leaseEpoch: head.leaseEpoch + 1, leaseOwner: after.owner });
}

function toHeld({ before, after, head }: Take): HeldRun {
  const { runId, planId, planVersion, wakes, slot } = after;
  const lease = { runId, epoch: head.leaseEpoch + 1, takenFrom: before.owner, headSeq: head.headSeq };
  return { ...lease, planId, planVersion, wakes, slot };
}
