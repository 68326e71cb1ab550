/** Runs the model of a run in a worker, so that folding does not block the page. */
import { ProblemError, RunledgerClient } from "@runledger/client";
import type { Plan } from "@runledger/contracts";
import { Watcher } from "../../live/watcher.js";
import { RunModel } from "./run-model.js";
import type { FromModel, ViewQuery, ToModel } from "./view.js";

/** The shortest time between two views of a busy run. */
const VIEW_INTERVAL_MS = 100;
/** The longest time between two views of an open run: its bars, durations and countdowns follow the clock. */
const TICK_MS = 1000;

const client = new RunledgerClient({ url: self.location.origin });
let model: RunModel | null = null;
let watcher: Watcher | null = null;
let query: ViewQuery | null = null;
let plan: Plan | null = null;
let timer: ReturnType<typeof setTimeout> | null = null;
let ticker: ReturnType<typeof setTimeout> | undefined;
let isVisible = true;

self.onmessage = ({ data }: MessageEvent<ToModel>) => {
  if (data.type === "open") open(data.runId, data.hub);
  if (data.type === "plan") {
    plan = data.plan;
    model?.setPlan(plan);
  }
  if (data.type === "visibility") {
    isVisible = data.isVisible;
    if (isVisible) watcher?.resume();
    else watcher?.pause();
    sendView();
  }
  if (data.type === "query") {
    query = data.query;
    sendView();
  }
};

function open(runId: string, hub: MessagePort): void {
  const own = new Watcher(Promise.resolve(hub));
  watcher = own;
  model = new RunModel(runId, {
    client,
    watch: (subject, listener) => own.watch(subject, listener),
    onChange: sendViewSoon,
    onConnection: (state) => send({ type: "connection", state }),
    onFailure: (error) => send(failure(error)),
  });
  model.setPlan(plan);
  void model.open();
}

function sendViewSoon(): void {
  timer ??= setTimeout(sendView, VIEW_INTERVAL_MS);
}

function sendView(): void {
  if (timer !== null) clearTimeout(timer);
  timer = null;
  clearTimeout(ticker);
  const view = query === null ? null : (model?.view(query) ?? null);
  if (view === null) return;
  send({ type: "view", view });
  if (isVisible && query?.seq === null && view.header.completedAt === undefined) ticker = setTimeout(sendView, TICK_MS);
}

function failure(error: unknown): FromModel {
  const problem = error instanceof ProblemError ? error.problem : null;
  return { type: "failed", problem, message: error instanceof Error ? error.message : String(error) };
}

function send(message: FromModel): void {
  self.postMessage(message);
}
