/** Bugs in the driver: wrong appends, or ignored results. */
import {
  newEvent,
  SeqMismatchError,
  type AppendResult,
  type FullStateStore,
  type NewEvent,
} from "@runledger/contracts";
import { indexPlan, pathOf } from "@runledger/core";
import type { CompiledWorkflow } from "@runledger/runtime/workflow/compiled-workflow";
import type { StoreCall } from "@runledger/runtime/testing/intercept-store";
import { appendOf, without } from "./append-calls.js";
import { everyNth, only, type PlantedBug } from "./planted-bug.js";

type Parking = { readonly workerId: string; readonly runId: string };

async function wakesOf(store: FullStateStore, { args }: StoreCall): Promise<number> {
  const { workerId, runId } = args[0] as Parking;
  const { runs } = await store.queue.heldRuns(workerId);
  return runs.find((run) => run.runId === runId)?.wakes ?? 0;
}

const parksAtAnyHead: PlantedBug = {
  name: "park without expectedSeq",
  breaks: ["run-ends", "a-stop-goes-down"],
  plant: () => ({
    store: (store) =>
      only("queue.parkRun", async (call) => {
        try {
          return await call.proceed();
        } catch (error) {
          if (!(error instanceof SeqMismatchError)) throw error;
          const wakes = await wakesOf(store, call);
          return call.proceed([{ ...(call.args[0] as object), expectedSeq: error.headSeq, wakes }]);
        }
      }),
  }),
};

const forgetsWakeUps: PlantedBug = {
  name: "park forgets a wake-up",
  breaks: ["run-ends", "a-stop-goes-down"],
  plant: () => ({
    store: (store) =>
      only("queue.parkRun", async (call) =>
        call.proceed([{ ...(call.args[0] as object), wakes: await wakesOf(store, call) }]),
      ),
  }),
};

/** Appends at any head and misses events that came in between. */
const staleFold: PlantedBug = {
  name: "decision on a stale fold",
  breaks: ["nothing-begins-after-a-stop", "a-stop-is-heard", "no-signal-is-passed-over", "first-in-first-out"],
  plant: () => ({
    sends: () =>
      only("appendEvents", async (call) => {
        const { events, options } = appendOf(call);
        const { expectedSeq } = options;
        if (expectedSeq === undefined || options.fence === undefined) return call.proceed();
        const results = (await call.proceed([events, without(options, "expectedSeq")])) as readonly AppendResult[];
        return results.map((result, place) => ({ ...result, runSeq: expectedSeq + 1 + place }));
      }),
  }),
};

/** Records another event instead of the take-over. */
const takeOverNotRecorded: PlantedBug = {
  name: "take-over not recorded",
  breaks: ["take-over-is-on-record"],
  plant: () => ({
    sends: () =>
      only("appendEvents", (call) => {
        const { events, options } = appendOf(call);
        const [event] = events;
        if (event?.eventType !== "RunTakenOver") return call.proceed();
        const { idempotencyKey: _, ...parts } = event;
        return call.proceed([[newEvent({ ...parts, eventType: "Noted" })], options]);
      }),
  }),
};

/** Retries under a new key. */
const recordedTwice: PlantedBug = {
  name: "an end is recorded twice",
  breaks: ["recorded-once"],
  plant: () => {
    const isSentAgain = everyNth(10);
    return {
      sends: () =>
        only("appendEvents", async (call) => {
          const { events, options } = appendOf(call);
          const results = await call.proceed();
          const end = events.find(({ eventType }) => eventType === "StepCompleted");
          if (end === undefined || options.fence === undefined || !isSentAgain()) return results;
          const { idempotencyKey: _, eventId: __, ...parts } = end;
          const again = newEvent({ ...parts, planVersion: `${end.planVersion}+` });
          await call.proceed([[again], { fence: options.fence }]).catch(() => {});
          return results;
        }),
    };
  },
};

/** Counts retries from the first attempt, ignoring an operator's reset (K4). */
const budgetNotReset: PlantedBug = {
  name: "retry budget not reset",
  breaks: ["within-its-budget"],
  plant: () => {
    const tries = new Map<string, number>();
    const learn = (workflow: CompiledWorkflow): CompiledWorkflow => {
      const { plan } = workflow;
      for (const [path, { retry }] of indexPlan(plan)) tries.set(`${plan.planId} ${path}`, retry?.attempts ?? 1);
      return workflow;
    };
    const exhausted = (event: NewEvent): NewEvent => {
      const granted = tries.get(`${event.planId} ${pathOf(event.stepId ?? "")}`) ?? 1;
      if (event.eventType !== "StepFailed" || Number(event.logicalAttemptId) < granted) return event;
      const { retryAt: _, ...eventData } = event.eventData as { readonly retryAt?: string };
      return { ...event, eventData };
    };
    const sends = only("appendEvents", (call) => {
      const { events, options } = appendOf(call);
      return call.proceed([events.map(exhausted), options]);
    });
    return { compiled: learn, sends: () => sends };
  },
};

/** Forgets runs whose claim response was lost. */
const claimForgotten: PlantedBug = {
  name: "a claim without an answer is forgotten",
  breaks: ["run-ends"],
  plant: () => ({
    sends: () => {
      const known = new Set<string>();
      return async (call) => {
        const answer = await call.proceed();
        if (call.name !== "queue.claimRuns" && call.name !== "queue.heldRuns") return answer;
        const { now, runs } = answer as {
          readonly now: string;
          readonly runs: readonly { runId: string; epoch: number }[];
        };
        const nameOf = (run: { runId: string; epoch: number }): string => `${run.runId} ${run.epoch}`;
        if (call.name === "queue.claimRuns") for (const run of runs) known.add(nameOf(run));
        return { now, runs: runs.filter((run) => known.has(nameOf(run))) };
      };
    },
  }),
};

export const driverBugs: readonly PlantedBug[] = [
  parksAtAnyHead,
  forgetsWakeUps,
  staleFold,
  takeOverNotRecorded,
  recordedTwice,
  budgetNotReset,
  claimForgotten,
];
