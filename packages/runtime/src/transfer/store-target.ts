/** Copies runs into another store. Reads back and compares what it wrote. */
import {
  omitUndefined,
  readEventData,
  StopError,
  type Copies,
  type QueuePlace,
  type RunCopy,
  type StateStore,
} from "@runledger/contracts";
import { isTerminal, type RunState } from "@runledger/core";
import { inputHashOf, startKeyOf, type StartRequestRef } from "../runs/start-key.js";
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
  const { isFinished = false, ...events } = part;
  const place = isFinished ? null : placeOf(await copied.fold(part)); // each part of a long run would read it again
  return { ...events, place, ...startOf(part) };
}

/** Queues open runs here: from now on workers of this store claim them. */
function placeOf({ status, ordinals, details }: RunState): QueuePlace | null {
  const { planId, planVersion, logFormat = 1, priority = 0, projectId = "default", concurrencyKey } = details;
  const isQueued = !isTerminal(status) && (ordinals["RunQueued"] ?? 0) > 0;
  if (!isQueued || planId === undefined || planVersion === undefined) return null;
  const key = omitUndefined({ concurrencyKey });
  return { planId, planVersion, logFormat, priority, projectId, ...key };
}

/** Copies start keys, so that the same request finds the run here too (Q1). The request of a fork is not recorded. */
function startOf({ events }: RunPart): Pick<RunCopy, "start"> {
  const [first] = events;
  if (first?.eventType !== "RunQueued" || first.runSeq !== 1) return {};
  const queued = readEventData("RunQueued", first.eventData);
  const { tenantId, projectId, environmentId, runRequestId, input = null, fork } = queued;
  const { planId, planVersion } = first;
  const request = { tenantId, projectId, environmentId, planId, planVersion, requestId: runRequestId };
  if (fork !== undefined || Object.values(request).includes(undefined)) return {};
  return { start: { startKey: startKeyOf(request as StartRequestRef), inputHash: inputHashOf(input) } };
}

/** Compares count and checksum of each run. */
async function compare(store: StateStore, parts: readonly RunPart[]): Promise<void> {
  await Promise.all(parts.map((part) => compareRun(store, part)));
}

async function compareRun(store: StateStore, { runId, afterSeq, events }: RunPart): Promise<void> {
  const written = await store.fetchEvents(runId, { afterSeq, limit: events.length });
  if (written.length === events.length && checksumOf(written) === checksumOf(events)) return;
  throw new StopError(
    "COPY_MISMATCH",
    `Run ${runId}: the ${events.length} events written after seq ${afterSeq} differ from the events read back. Check the target, then copy again.`,
  );
}
