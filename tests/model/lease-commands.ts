import * as fc from "fast-check";
import { command, type Command } from "./command.js";
import { RUNS, runs } from "./event-specs.js";

const workers = fc.constantFrom("worker-1", "worker-2");
const TTL_MS = 3_600_000; // workers expire by retirement here, because sequences must not depend on time

const runLists = fc.oneof(
  { weight: 2, arbitrary: fc.constant([...RUNS]) },
  { weight: 1, arbitrary: fc.array(fc.constantFrom(...RUNS, "absent"), { maxLength: 4 }) },
);

const takeCommand = fc
  .record({ workerId: workers, runIds: runLists, alive: fc.constantFrom(true, true, false) })
  .map(({ workerId, runIds, alive }) => {
    const name = `${workerId}${alive ? " heartbeats and" : ""} takes ${runIds.join()}`;
    return command(name, async (stores) => {
      if (alive) await stores.compare(name, (store) => store.leases.heartbeat({ workerId, ttlMs: TTL_MS }));
      await stores.compare(name, (store) => store.leases.acquireLeases({ workerId, runIds }));
    });
  });

/** One worker is lost, the other takes over its runs. */
const takeOverCommand = workers.map((workerId) => {
  const other = workerId === "worker-1" ? "worker-2" : "worker-1";
  const name = `${workerId} takes over from ${other}`;
  return command(name, async (stores) => {
    await stores.compare(name, (store) => store.leases.retireWorker(other));
    await stores.compare(name, (store) => store.leases.heartbeat({ workerId, ttlMs: TTL_MS }));
    await stores.compare(name, (store) => store.leases.acquireLeases({ workerId, runIds: [...RUNS] }));
  });
});

/** Mostly the owner, sometimes under an epoch that it has lost. */
const releaseCommand = fc
  .record({
    runId: runs,
    beside: fc.constantFrom(0, -1),
    stranger: fc.constantFrom(null, null, "worker-1", "worker-2"),
  })
  .map(({ runId, beside, stranger }) => {
    const name = `${stranger ?? "its owner"} releases ${runId}${beside === 0 ? "" : " under an old epoch"}`;
    return command(name, async (stores) => {
      const [head] = await stores.memory.fetchHeads([runId]);
      const workerId = stranger ?? head?.leaseOwner ?? "worker-1";
      const epoch = Math.max(1, (head?.leaseEpoch ?? 1) + beside);
      await stores.compare(name, (store) => store.leases.releaseLeases({ workerId, leases: [{ runId, epoch }] }));
    });
  });

const retireCommand = workers.map((workerId) =>
  command(`${workerId} retires`, (stores) => stores.compare("retire", (store) => store.leases.retireWorker(workerId))),
);

const archiveCommand = runs.map((runId) =>
  command(`archive ${runId}`, (stores) =>
    stores.compare(`archive ${runId}`, (store) => store.archive.archiveRun(runId)),
  ),
);

const reopenCommand = fc.constant(command("reopen", (stores) => stores.reopen()));

export const leaseCommands: readonly fc.Arbitrary<Command>[] = [
  takeCommand,
  takeCommand,
  takeOverCommand,
  takeOverCommand,
  releaseCommand,
  releaseCommand,
  retireCommand,
];
export const storeCommands: readonly fc.Arbitrary<Command>[] = [archiveCommand, reopenCommand];
