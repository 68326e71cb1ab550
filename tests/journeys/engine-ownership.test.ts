// @module-tag E-20
/** Ownership of runs by real worker processes, observed in the database (O1, P4, D5). */
import { expect, test } from "vitest";
import { WorkerProject } from "@runledger/test-support/worker-project";
import { release, SLOW, started } from "./slow-runs.js";

test(
  "a run is taken over and recorded as such after the lease of its killed worker expires",
  { tags: ["R-11"] },
  async () => {
    const project = await WorkerProject.create(SLOW);
    const first = await project.worker(1500);
    const [runId] = await project.start("slow");
    await expect.poll(() => started(project).length).toBe(1);
    const second = await project.worker(1500);
    first.kill("SIGKILL");
    await expect.poll(() => started(project).length).toBe(2);
    const expiry = "SELECT expires_at FROM runledger.workers WHERE worker_id = $1";
    const [lease] = await project.query<{ expires_at: Date }>(expiry, [first.workerId]);
    release(project);
    await expect.poll(() => project.story(runId!)).toContain("RunCompleted");

    const events = await project.events(runId!);
    const taken = events.find(({ eventType }) => eventType === "RunTakenOver")!;
    expect(taken.eventData).toEqual({ epoch: 2, workerId: second.workerId, stepsInFlight: ["long"] });
    expect(taken.persistedAt! > lease!.expires_at.toISOString(), "it was taken over before the lease expired").toBe(
      true,
    );
    expect((await project.story(runId!)).filter((event) => event === "StepCompleted long")).toHaveLength(1);
  },
);
