/** Another store as the place that runs are copied to. What was written is read back and compared. */
import {
  sha256Hex,
  StopError,
  type Copies,
  type QueuePlace,
  type RunCopy,
  type StateStore,
} from "@runledger/contracts";
import { isTerminal, type RunState } from "@runledger/core";
import { CopiedStates } from "./copied-states.js";
import { checksumOf } from "./event-line.js";
import type { CopyTarget, RunPart } from "./copy-target.js";

export function storeTarget(store: StateStore & { readonly copies: Copies }): CopyTarget {
  const copied = new CopiedStates(store);
  return {
    positions: async (runIds) => {
      copied.expect(runIds);
      const heads = new Map((await store.fetchHeads(runIds)).map(({ runId, headSeq }) => [runId, headSeq]));
      return runIds.map((runId) => heads.get(runId) ?? 0);
    },
    write: async (parts) => {
      await store.copies.writeCopies(await Promise.all(parts.map((part) => toCopy(copied, part))));
      await compare(store, parts);
    },
    flush: () => copied.project(),
    [Symbol.asyncDispose]: async () => {},
  };
}

async function toCopy(copied: CopiedStates, part: RunPart): Promise<RunCopy> {
  return { ...part, place: placeOf(await copied.fold(part)), ...startOf(part) };
}

/** A run that has not ended is claimed from here on: its ledger is this one now. */
function placeOf({ status, ordinals, details }: RunState): QueuePlace | null {
  const { planId, planVersion, logFormat = 1, priority = 0, projectId = "default", concurrencyKey } = details;
  const isQueued = !isTerminal(status) && (ordinals["RunQueued"] ?? 0) > 0;
  if (!isQueued || planId === undefined || planVersion === undefined) return null;
  const key = concurrencyKey === undefined ? {} : { concurrencyKey };
  return { planId, planVersion, logFormat, priority, projectId, ...key };
}

interface Queued {
  readonly tenantId: string;
  readonly projectId: string;
  readonly environmentId: string;
  readonly runRequestId: string;
  readonly input?: unknown;
  readonly fork?: unknown;
}

/** Q1: the same request finds the run here too. What forks are asked for by is not on record. */
function startOf({ events }: RunPart): Pick<RunCopy, "start"> {
  const [first] = events;
  if (first?.eventType !== "RunQueued" || first.runSeq !== 1) return {};
  const { tenantId, projectId, environmentId, runRequestId, input = null, fork } = first.eventData as unknown as Queued;
  const request = [tenantId, projectId, environmentId, first.planId, first.planVersion, runRequestId];
  if (fork !== undefined || request.some((part) => typeof part !== "string")) return {};
  return { start: { startKey: sha256Hex(request.join("|")), inputHash: sha256Hex(JSON.stringify(input)) } };
}

/** By count and checksum, run by run. */
async function compare(store: StateStore, parts: readonly RunPart[]): Promise<void> {
  await Promise.all(parts.map((part) => compareRun(store, part)));
}

async function compareRun(store: StateStore, { runId, afterSeq, events }: RunPart): Promise<void> {
  const written = await store.fetchEvents(runId, { afterSeq, limit: events.length });
  if (written.length === events.length && checksumOf(written) === checksumOf(events)) return;
  throw new StopError(
    "COPY_MISMATCH",
    `Of run ${runId} ${events.length} events were written behind seq ${afterSeq}, and what is read back is not the same.`,
  );
}
