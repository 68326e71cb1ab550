/** The model of a run, out of the way of the screen. */
import { ProblemError, RunledgerClient } from "@runledger/client";
import type { Plan } from "@runledger/contracts";
import { Watcher } from "../../live/watcher.js";
import { RunModel } from "./run-model.js";
import type { FromModel, Look, ToModel } from "./view.js";

/** A busy run is looked at this often. */
const EVERY_MS = 100;

const client = new RunledgerClient({ url: self.location.origin });
let model: RunModel | null = null;
let watcher: Watcher | null = null;
let look: Look | null = null;
let plan: Plan | null = null;
let timer: ReturnType<typeof setTimeout> | null = null;

self.onmessage = ({ data }: MessageEvent<ToModel>) => {
  if (data.type === "open") open(data.runId, data.hub);
  if (data.type === "plan") {
    plan = data.plan;
    model?.setPlan(plan);
  }
  if (data.type === "seen") {
    if (data.isSeen) watcher?.resume();
    else watcher?.pause();
  }
  if (data.type === "look") {
    look = data.look;
    show();
  }
};

function open(runId: string, hub: MessagePort): void {
  const own = new Watcher(Promise.resolve(hub));
  watcher = own;
  model = new RunModel(runId, {
    client,
    watch: (subject, listener) => own.watch(subject, listener),
    onChange: showSoon,
    onConnection: (state) => say({ type: "connection", state }),
    onFailure: (error) => say(failure(error)),
  });
  model.setPlan(plan);
  void model.open();
}

function showSoon(): void {
  timer ??= setTimeout(show, EVERY_MS);
}

function show(): void {
  if (timer !== null) clearTimeout(timer);
  timer = null;
  const view = look === null ? null : (model?.view(look) ?? null);
  if (view !== null) say({ type: "view", view });
}

function failure(error: unknown): FromModel {
  const problem = error instanceof ProblemError ? error.problem : null;
  return { type: "failed", problem, message: error instanceof Error ? error.message : String(error) };
}

function say(message: FromModel): void {
  self.postMessage(message);
}
