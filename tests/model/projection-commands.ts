import type { CanonicalEngineEvent } from "@runledger/contracts";
import { evolveAll, initialState, toRunHeader } from "@runledger/core";
import * as fc from "fast-check";
import { command, type Command } from "./command.js";
import { asTenant, runs, tenants } from "./event-specs.js";

const projectCommand = fc.tuple(runs, tenants).map(([runId, tenant]) => {
  const name = `project ${runId}${asTenant(tenant)}`;
  return command(name, async (stores) => {
    await stores.compare(name, (store) =>
      (tenant === undefined ? store : store.forTenant(tenant)).projectSnapshot(runId),
    );
    await stores.compare(name, (store) => (tenant === undefined ? store : store.forTenant(tenant)).getSnapshot(runId));
  });
});

/** A projector that has folded up to some seq and remembers some watermark: the correct one or another. */
const saveCommand = fc
  .record({ runId: runs, upTo: fc.integer({ min: 1, max: 12 }), memory: fc.constantFrom(0, 0, 0, 1, -1) })
  .map(({ runId, upTo, memory }) => {
    const name = `save projection of ${runId} up to ${upTo}${memory === 0 ? "" : ` with watermark ${memory}`}`;
    return command(name, async (stores) => {
      const events: CanonicalEngineEvent[] = await stores.memory.fetchEvents(runId, { limit: upTo });
      if (events.length === 0) return;
      const stored = await stores.memory.snapshots.readProjection({ runId, stepIds: [] });
      const readSeq = Math.max(0, (stored?.header.lastEventSeq ?? 0) + memory);
      const state = evolveAll(initialState(runId), events);
      const rows = { readSeq, header: toRunHeader(state), steps: state.steps.rows() };
      await stores.compare(name, (store) => store.snapshots.saveProjection(rows));
    });
  });

const readCommand = fc
  .record({ runId: runs, stepIds: fc.subarray(["load", "extract", "each/0/x", "each/1/x", "absent"]) })
  .map(({ runId, stepIds }) => {
    const name = `read projection of ${runId}: ${stepIds.join()}`;
    return command(name, async (stores) => {
      await stores.compare(name, (store) => store.snapshots.readProjection({ runId, stepIds }));
      await stores.compare(name, (store) => store.snapshots.listSteps({ runId, afterOrdinal: 0, limit: 2 }));
    });
  });

const deleteCommand = runs.map((runId) =>
  command(`delete projection of ${runId}`, (stores) =>
    stores.compare("delete", (store) => store.snapshots.deleteProjection(runId)),
  ),
);

const checkpointCommand = runs.map((runId) =>
  command(`load checkpoint of ${runId}`, (stores) =>
    stores.compare(`checkpoint of ${runId}`, (store) => store.checkpoints.loadCheckpoint(runId)),
  ),
);

export const projectionCommands: readonly fc.Arbitrary<Command>[] = [
  projectCommand,
  saveCommand,
  readCommand,
  deleteCommand,
  checkpointCommand,
];
