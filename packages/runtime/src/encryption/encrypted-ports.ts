/** The ports of a store that hold payloads besides its log. */
import {
  ALL_TENANTS,
  checkArtifactChunk,
  type Artifacts,
  type ChangeFeed,
  type Checkpoints,
  type Copies,
  type Json,
  type Keyframes,
  type PlanRef,
  type Plans,
  type RunQueue,
  type Schedule,
  type Schedules,
} from "@runledger/contracts";
import { override } from "./override.js";
import type { RunTenants } from "./run-tenants.js";
import { checkAndSeal } from "./sealed-event.js";
import { viewProjection } from "./sealed-projection.js";
import { sealCheckpoint, sealValue } from "./sealed-value.js";
import type { Place, Sealer } from "./sealer.js";
import type { View } from "./view.js";

export interface PortParts {
  readonly sealer: Sealer;
  readonly view: View;
  readonly tenants: RunTenants;
}

export function encryptedFeed(feed: ChangeFeed, { view }: PortParts): ChangeFeed {
  return override(feed, {
    fetchRuns: async (runs, options) => (await feed.fetchRuns(runs, options)).map((events) => events.map(view.event)),
  });
}

export function encryptedQueue(queue: RunQueue, { sealer, view, tenants }: PortParts): RunQueue {
  return override(queue, {
    startRun: async (start) => {
      const { event, kept, tenantId, inputHash } = start;
      const started = await queue.startRun({
        ...start,
        event: checkAndSeal(sealer, event, { tenantId, field: "event" }),
        ...(kept && { kept: kept.map((each, at) => checkAndSeal(sealer, each, { tenantId, field: `kept[${at}]` })) }),
        inputHash: sealer.digest(inputHash, tenantId),
      });
      tenants.remember(started.runId, tenantId);
      return sealer.isDigestOf(started.inputHash, inputHash, tenantId) ? { ...started, inputHash } : started;
    },
    claimRuns: async (params) => {
      const claimed = await queue.claimRuns(params);
      const runs = claimed.runs.map((run) =>
        run.firstEvent === undefined ? run : { ...run, firstEvent: view.event(run.firstEvent) },
      );
      return { ...claimed, runs };
    },
    parkRun: async (params) => {
      const { checkpoint } = params;
      if (checkpoint === null) return queue.parkRun(params);
      const tenantId = await tenants.ofOne(params.runId);
      return queue.parkRun({ ...params, checkpoint: sealCheckpoint(sealer, checkpoint, tenantId) });
    },
  });
}

export function encryptedCheckpoints(checkpoints: Checkpoints, { view }: PortParts): Checkpoints {
  return {
    loadCheckpoint: async (runId) => {
      const checkpoint = await checkpoints.loadCheckpoint(runId);
      return checkpoint === null ? null : view.checkpoint(checkpoint);
    },
  };
}

export function encryptedKeyframes(keyframes: Keyframes, { view }: PortParts): Keyframes {
  return override(keyframes, {
    loadKeyframe: async (params) => {
      const found = await keyframes.loadKeyframe(params);
      return found === null ? null : viewProjection(view, found);
    },
  });
}

export function encryptedCopies(copies: Copies, { sealer }: PortParts): Copies {
  return {
    writeCopies: async (runs) =>
      copies.writeCopies(
        runs.map((copy) => ({
          ...copy,
          events: copy.events.map((event, index) =>
            checkAndSeal(sealer, event, { tenantId: copy.tenantId, field: `events[${index}]` }),
          ),
          ...(copy.start && {
            start: { ...copy.start, inputHash: sealer.digest(copy.start.inputHash, copy.tenantId) },
          }),
        })),
      ),
  };
}

const chunkPlace = (uri: string, chunk: number): Place => ["artifact", uri, String(chunk)];

export function encryptedArtifacts(artifacts: Artifacts, { sealer, view, tenants }: PortParts): Artifacts {
  return override(artifacts, {
    writeChunk: async (params) => {
      const { artifact, chunk, bytes } = params;
      checkArtifactChunk(params);
      const tenantId = await tenants.ofOne(artifact.runId);
      const sealed = sealer.sealBytes(bytes, tenantId, chunkPlace(artifact.uri, chunk));
      return artifacts.writeChunk({ ...params, bytes: sealed });
    },
    readChunks: async (params) => {
      const { uri, afterChunk = 0 } = params;
      const found = await artifacts.readChunks(params);
      if (found === null) return null;
      const chunks = found.chunks.map((bytes, index) => view.bytes(bytes, chunkPlace(uri, afterChunk + 1 + index)));
      return { ...found, chunks };
    },
  });
}

/** Plans belong to no tenant, so the key of all tenants encrypts their initial state. */
export function encryptedPlans(plans: Plans, { sealer, view }: PortParts): Plans {
  const place = ({ planId, planVersion }: PlanRef): Place => ["plan", planId, planVersion];
  return override(plans, {
    registerPlan: async (plan, notes) => {
      if (notes?.initialState === undefined) return plans.registerPlan(plan, notes);
      const initialState = sealValue(sealer, notes.initialState, ALL_TENANTS, place(plan));
      return plans.registerPlan(plan, { ...notes, initialState });
    },
    loadNotes: async (ref) => {
      const notes = await plans.loadNotes(ref);
      if (notes.initialState === undefined) return notes;
      return { ...notes, initialState: view.value(notes.initialState, place(ref)) };
    },
  });
}

export function encryptedSchedules(schedules: Schedules, { sealer, view }: PortParts): Schedules {
  const shown = (schedule: Schedule): Schedule => mapPayloads(schedule, (value, place) => view.value(value, place));
  return override(schedules, {
    getSchedule: async (name) => {
      const found = await schedules.getSchedule(name);
      return { ...found, schedule: found.schedule && shown(found.schedule) };
    },
    listSchedules: async (params) => (await schedules.listSchedules(params)).map(shown),
    saveSchedule: async (schedule, readEpoch) => {
      const sealed = mapPayloads(schedule, (value, place) => sealValue(sealer, value, schedule.tenantId, place));
      return shown(await schedules.saveSchedule(sealed, readEpoch));
    },
  });
}

function mapPayloads<S extends Omit<Schedule, "epoch">>(schedule: S, map: (value: Json, place: Place) => Json): S {
  const { scheduleId, definition } = schedule;
  const { input, state } = definition;
  const of = (field: string, value: Json): Json => map(value, ["schedule", schedule.tenantId, scheduleId, field]);
  const changed = {
    ...(input !== undefined && { input: of("input", input) }),
    ...(state !== undefined && { state: of("state", state) }),
  };
  return { ...schedule, definition: { ...definition, ...changed } };
}
