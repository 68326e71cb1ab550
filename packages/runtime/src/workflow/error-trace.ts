/** Shortens the stack and the causes of an error, so that they fit into the event that records it. */
import { join, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { omitUndefined, type ErrorCause } from "@runledger/contracts";
import { inspectRedacted } from "../telemetry/process-redactors.js";
import { cut } from "./cut.js";
import { storable } from "./step-errors.js";

export interface ErrorTrace {
  readonly stack?: string;
  readonly cause?: ErrorCause;
}

const MAX_FRAMES = 20;
const MAX_FRAME = 300;
const MAX_CAUSES = 5;
const MAX_CAUSE_MESSAGE = 2_000;

/** Frames of Node and of Runledger's engine explain nothing to the author of a step. */
const OWN_FOLDER = join(import.meta.dirname, "..") + sep;
const OWN_CODE = [OWN_FOLDER, pathToFileURL(OWN_FOLDER).href, "(node:", "at node:"];

/** Anything can be thrown. Returns `{}` if it has neither stack nor cause. */
export function traceOf(thrown: unknown): ErrorTrace {
  if (!(thrown instanceof Error)) return {};
  return omitUndefined({ stack: stackOf(thrown), cause: causeOf(thrown, 1) });
}

/** The frames without the message, which is recorded beside them. */
function stackOf({ stack, message }: Error): string | undefined {
  const text = typeof stack === "string" ? stack : "";
  const frames = text
    .slice(text.includes(message) ? text.indexOf(message) + message.length : 0)
    .split("\n")
    .map((line) => cut(line.trim(), MAX_FRAME))
    .filter((line) => line.startsWith("at ") && !OWN_CODE.some((own) => line.includes(own)));
  return frames.length === 0 ? undefined : storable(frames.slice(0, MAX_FRAMES).join("\n"));
}

function causeOf(error: Error, depth: number): ErrorCause | undefined {
  const cause = error.cause ?? firstOf(error);
  if (cause === undefined || cause === null || depth > MAX_CAUSES) return undefined;
  if (!(cause instanceof Error))
    return {
      message: shortened(typeof cause === "string" ? cause : inspectRedacted(cause)),
    };
  const { code } = cause as { code?: unknown };
  const known = {
    code: typeof code === "string" ? shortened(code) : undefined,
    stack: stackOf(cause),
    cause: causeOf(cause, depth + 1),
  };
  return { message: shortened(cause.message), ...omitUndefined(known) };
}

/** An AggregateError has several causes. The first one explains most. */
function firstOf(error: Error): unknown {
  return error instanceof AggregateError ? (error.errors as readonly unknown[])[0] : undefined;
}

function shortened(text: string): string {
  return storable(cut(text, MAX_CAUSE_MESSAGE));
}
