/**
 * Connects the process to the step whose code is running. It names the step whose code ends the process. A step that leaves
 * a rejection unhandled fails instead of its worker. Lines that a step prints with `console` are also in its log.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { inspect } from "node:util";
import { redactText } from "../telemetry/process-redactors.js";
import { messageOf } from "../workflow/step-errors.js";
import { captureConsole, type ConsoleLine } from "./capture-console.js";
import type { AttemptRef } from "./in-flight.js";

export interface RunningStep extends AttemptRef {
  readonly runId: string;
  /** Fails the attempt. `null` once it has finished. */
  fail: ((error: Error) => void) | null;
  /** Writes to the worker's log. Must be synchronous, because the process may be about to exit. */
  readonly report: (error: Error) => void;
  /** Receives what the step prints. Absent until the attempt has a log. */
  print?: (line: ConsoleLine) => void;
}

const running = new AsyncLocalStorage<RunningStep>();
let watchers = 0;
let releaseConsole = (): void => {};
/** `true` after an uncaught exception was reported: the process exits because of it. */
let isCrashing = false;

/** Runs the code of a step, so that the process knows which step an error belongs to. */
export function runAsStep<T>(step: RunningStep, code: () => Promise<T>): Promise<T> {
  return running.run(step, () => code().finally(() => void (step.fail = null)));
}

/** Sends what the current step prints to its log. */
export function printTo(print: (line: ConsoleLine) => void): void {
  const step = running.getStore();
  if (step !== undefined) step.print = print;
}

/** Watches the process until the returned function is called. Several workers of a process share the listeners. */
export function watchProcess(): () => void {
  if (watchers++ === 0) {
    process.on("unhandledRejection", onRejection);
    process.on("uncaughtExceptionMonitor", onException);
    process.on("exit", onExit);
    releaseConsole = captureConsole((line) => running.getStore()?.print?.(line));
  }
  let isWatching = true;
  return () => {
    if (!isWatching) return;
    isWatching = false;
    if (--watchers === 0) unwatchProcess();
  };
}

function unwatchProcess(): void {
  process.off("unhandledRejection", onRejection);
  process.off("uncaughtExceptionMonitor", onException);
  process.off("exit", onExit);
  releaseConsole();
}

/** A rejection that belongs to no step ends the process, as it does without this listener. */
function onRejection(reason: unknown): void {
  const step = running.getStore();
  if (step === undefined) {
    if (process.listenerCount("unhandledRejection") === 1) throw reason;
    return;
  }
  const message = `${nameOf(step)} left a rejected promise unhandled: ${messageOf(reason)}. Await it or catch its error.`;
  const error = Object.assign(new Error(message, { cause: reason }), { code: "UNHANDLED_REJECTION" });
  step.report(error);
  step.fail?.(error);
}

function onException(thrown: unknown): void {
  const step = running.getStore();
  isCrashing ||= step !== undefined;
  const message = (name: string) => `${name} threw in a callback, which ends this worker: ${messageOf(thrown)}`;
  step?.report(new Error(message(nameOf(step)), { cause: thrown }));
  if (process.listenerCount("uncaughtException") === 0) exitWithoutSecrets(thrown);
}

/** Node prints an error with its causes before it ends the process. If they contain a secret, prints them without it (S1). */
function exitWithoutSecrets(thrown: unknown): void {
  const text = inspect(thrown, { maxStringLength: null });
  const clean = redactText(text);
  if (clean === text) return;
  process.stderr.write(`Uncaught ${clean}\n`);
  process.exit(1);
}

function onExit(code: number): void {
  const step = running.getStore();
  if (step === undefined || isCrashing) return;
  step.report(new Error(`${nameOf(step)} called process.exit(${code}), which ends this worker.`));
}

function nameOf({ runId, stepId, attempt }: RunningStep): string {
  return `Step ${stepId} of run ${runId} (attempt ${attempt})`;
}
