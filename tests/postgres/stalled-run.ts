/** Executes one run with a latency budget while PostgreSQL stalls at a chosen call of its worker, and judges it. */
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CanonicalEngineEvent } from "@runledger/contracts";
import { Ledger, type LedgerWorkerOptions } from "@runledger/runtime/ledger/ledger";
import { HistoryRecorder } from "@runledger/runtime/testing/history-recorder";
import { interceptStore, type Around, type StoreCall } from "@runledger/runtime/testing/intercept-store";
import { checkHistory } from "@runledger/store-conformance";
import { PostgresStore } from "@runledger/store-postgres";
import { startSilentProxy } from "@runledger/test-support/silent-proxy";
import { workflow, type AnyWorkflow, type Workflow } from "runledger";
import { expect } from "vitest";

/** The nth call of this name, before it reaches the server or while its answer is on the way. */
export interface StallPoint {
  readonly call: string;
  readonly nth: number;
  readonly side: "request" | "answer";
}

/** A call of the worker, with the types of the events that it appends. */
interface SeenCall {
  readonly name: string;
  readonly types: readonly string[];
}

export interface StalledRun {
  readonly alerts: readonly string[];
  readonly calls: readonly SeenCall[];
  readonly failures: readonly string[];
  /** `true` if the point was reached. */
  readonly isHit: boolean;
  /** Steps that were executed during the stall. */
  readonly executed: readonly string[];
}

const BUDGET_MS = 300;
let flows = 0;

/** The second attempt of `first` starts alone, so its start may fail open. Meanwhile `keeper` keeps the run in its worker. */
function retrying(onExecuted: (step: string, execution: number) => void): AnyWorkflow {
  const executions = new Map<string, number>();
  const retry = { attempts: 20, delay: "500ms", maxDelay: "500ms" } as const; // with less, a busy worker merges the appends
  let release = (): void => {};
  const isReleased = new Promise<void>((resolve) => (release = resolve));
  const execute = (step: string): number => {
    const count = (executions.get(step) ?? 0) + 1;
    executions.set(step, count);
    onExecuted(step, count);
    return count;
  };
  return workflow(`retrying-${++flows}`, { version: "1" }, (w) => {
    const keeper = w.step("keeper", { retry }, () => isReleased);
    const first = w.step("first", { retry }, () => {
      if (execute("first") === 1) throw new Error("The first attempt fails.");
      release();
    });
    const nap = w.sleep("nap", { after: [keeper, first], for: "20ms" });
    const both = ["left", "right"].map((name) => w.step(name, { retry, after: [nap] }, () => execute(name)));
    return w.step("last", { retry, after: both }, () => `done after ${execute("last")}`);
  });
}

function typesOf({ name, args }: StoreCall): readonly string[] {
  const [events] = args as [readonly { readonly eventType: string }[]];
  return name === "appendEvents" ? events.map(({ eventType }) => eventType) : [];
}

/** Executes a run. With `point` null, nothing stalls. Without options, the worker has no budget. */
export async function runStalled(
  url: string,
  { point, stallMs, isBudgeted = true }: { point: StallPoint | null; stallMs: number; isBudgeted?: boolean },
): Promise<StalledRun> {
  const folder = mkdtempSync(join(tmpdir(), "runledger-stall-"));
  const proxy = await startSilentProxy(url);
  const recorder = new HistoryRecorder();
  const [calls, executed, alerts]: [SeenCall[], string[], string[]] = [[], [], []];
  let isStalled = false;
  let isHit = false;
  const stall = (side: StallPoint["side"]): void => {
    isStalled = isHit = true;
    if (side === "request") proxy.silence("all");
    else proxy.holdAnswers();
    setTimeout(() => {
      isStalled = false;
      proxy.resume();
    }, stallMs);
  };
  const stalling: Around = async (call) => {
    calls.push({ name: call.name, types: typesOf(call) });
    const nth = calls.filter(({ name }) => name === call.name).length;
    if (call.name === point?.call && nth === point.nth) stall(point.side);
    return call.proceed();
  };
  const [stalled, steady] = await Promise.all(
    [proxy.url, url].map((each) => PostgresStore.open({ url: each, poolSize: 3 })),
  );
  const ledgerOn = (store: PostgresStore, client: string, around: Around): Ledger =>
    new Ledger(interceptStore(store, recorder.recording(client, around)), () => store.close(), { retryForMs: 300_000 });
  const ledger = ledgerOn(steady!, "starter", ({ proceed }) => proceed());
  const working = ledgerOn(stalled!, "worker", stalling);
  try {
    const flow = retrying((step, execution) => void (isStalled && executed.push(`${step} ${execution}`)));
    const onAlert = ({ code }: { readonly code: string }): void => void alerts.push(code);
    const limits = isBudgeted ? { stateStore: budget(folder) } : {};
    const worker = await working.worker({ workflows: [flow], onAlert, ...limits });
    const run = await ledger.start(flow as Workflow<undefined, string, unknown>);
    expect(await run.result()).toMatch(/^done after/);
    await worker.stop();
    expect(spooledBytes(folder)).toBe(0);
    const { logs, ...rest } = await recorder.history(steady!);
    const own = logs.filter(({ runId }) => runId === run.id);
    const checkpoints = rest.checkpoints.filter(({ runId }) => runId === run.id);
    expect(checkHistory({ ...rest, checkpoints, logs: own }).violations).toEqual([]);
    return { alerts, calls, executed, isHit, failures: judge(own[0]!.events) };
  } finally {
    proxy.resume();
    await Promise.allSettled([working.close(), ledger.close()]);
    await proxy.close();
    rmSync(folder, { recursive: true });
  }
}

function budget(folder: string): Required<LedgerWorkerOptions>["stateStore"] {
  return { writeLatencyBudgetMs: BUDGET_MS, failOpenForEventClass: ["StepStarted"], spool: { folder } };
}

export function spooledBytes(folder: string): number {
  const files = readdirSync(folder).filter((name) => name.endsWith(".spool"));
  return files.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}

/** Every attempt starts before it ends, and ends once. Returns the codes of failures. */
function judge(log: readonly CanonicalEngineEvent[]): string[] {
  const events = log.filter(({ stepId }) => stepId !== undefined);
  const attempts = new Map<string, string[]>();
  for (const { stepId, logicalAttemptId, eventType } of events) {
    const attempt = `${stepId} ${logicalAttemptId}`;
    attempts.set(attempt, [...(attempts.get(attempt) ?? []), eventType]);
  }
  for (const [attempt, types] of attempts)
    expect([attempt, types]).toEqual([attempt, ["StepStarted", expect.stringMatching(/^Step(Completed|Failed)$/)]]);
  const failed = events.filter(({ eventType }) => eventType === "StepFailed");
  return failed.map(({ eventData }) => (eventData as { error: { code?: string } }).error.code ?? "");
}
