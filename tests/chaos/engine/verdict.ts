/** Judges a round by the processes' logs and the content of the store. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { CanonicalEngineEvent, FullStateStore, Plan } from "@runledger/contracts";
import { builtInKinds } from "@runledger/contracts";
import { mergeHistories, readEnd, type Operation, type RunLog } from "@runledger/store-conformance";
import type { RecordedOperation } from "@runledger/runtime/testing/recorded-history";
import { compiledOf } from "@runledger/runtime/workflow/compiled-workflow";
import { judgeRuns, type Broken } from "../../simulation/invariants/judge.js";
import { isResetting, names, stepOf } from "../../simulation/invariants/story.js";
import { isChild, type Execution } from "../../simulation/world/cluster.js";
import { chaosWorkflows } from "./workflows.js";

interface Journal {
  readonly operations: readonly RecordedOperation[];
  readonly executions: readonly Execution[];
  readonly faults: readonly string[];
}

export interface RoundVerdict {
  readonly broken: readonly Broken[];
  readonly events: readonly CanonicalEngineEvent[];
  readonly operations: readonly Operation[];
}

const plans = Object.entries(chaosWorkflows(() => Promise.reject(new Error("No side effects here."))));

function planOf(runId: string): Plan {
  const shape = isChild(runId) ? "child" : runId.replace(/-\d+$/, "");
  return compiledOf(plans.find(([name]) => name === shape)![1]).plan;
}

/** @param asked The operator's calls to the store. */
export async function judgeRound(
  folder: string,
  store: FullStateStore,
  asked: readonly RecordedOperation[],
): Promise<RoundVerdict> {
  const { operations, executions, faults } = await journalsIn(folder);
  const history = mergeHistories([{ operations: [...asked, ...operations] as Operation[] }, await readEnd(store)]);
  const broken = [
    ...faults.map((message) => ({ invariant: "no-fault", message })),
    ...judgeRuns({ history, executions, planOf }),
    ...(await judgeCharges(folder, history.logs)),
  ];
  return { broken, events: history.logs.flatMap(({ events }) => events), operations: history.operations };
}

async function journalsIn(folder: string): Promise<Journal> {
  const files = (await readdir(folder)).filter((name) => name.endsWith(".jsonl"));
  const texts = await Promise.all(files.map((name) => readFile(join(folder, name), "utf8")));
  const lines = texts
    .flatMap((text) => text.split("\n").slice(0, -1))
    .map((line) => JSON.parse(line) as { operation?: RecordedOperation; execution?: Execution; fault?: string });
  return {
    operations: lines.flatMap(({ operation }) => operation ?? []),
    executions: lines.flatMap(({ execution }) => execution ?? []),
    faults: lines.flatMap(({ fault }) => fault ?? []),
  };
}

/** D6: each step had its effect once, and again only after an operator's reset. */
async function judgeCharges(folder: string, logs: readonly RunLog[]): Promise<Broken[]> {
  const charges = join(folder, "charges");
  const keys = (await readdir(charges)).filter((name) => !name.includes(".")); // other files were never renamed into place
  const charged = new Map<string, number>();
  for (const key of keys) {
    const what = await readFile(join(charges, key), "utf8");
    charged.set(what, (charged.get(what) ?? 0) + 1);
  }
  return logs.flatMap(({ runId, events }) => {
    const completed = events.filter((event) => isDone(planOf(runId), event)).map(({ stepId }) => stepId!);
    return [...new Set(completed)].flatMap((stepId) => {
      const count = charged.get(`${runId} ${stepId}`) ?? 0;
      const resets = events.filter((event) => isResetting(event) && names(event, stepId)).length;
      if (count >= 1 && count <= 1 + resets) return [];
      return [{ invariant: "charged-once", message: `${runId}: ${stepId} was charged ${count} times` }];
    });
  });
}

const CONTAINERS = new Set<string>(builtInKinds);

function isDone(plan: Plan, { eventType, stepId }: CanonicalEngineEvent): boolean {
  return eventType === "StepCompleted" && !CONTAINERS.has(stepOf(plan, stepId!).kind);
}
