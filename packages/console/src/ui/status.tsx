/** What state something is in: a shape, a colour and a word, never the colour alone. */
import type { ReactNode } from "react";
import { Glyph, type GlyphName } from "./glyph.js";

export type Tone = "good" | "bad" | "busy" | "wait" | "idle";

interface Look {
  readonly word: string;
  readonly tone: Tone;
  readonly glyph: GlyphName;
}

const RUN_LOOKS: Readonly<Record<string, Look>> = {
  PENDING: { word: "Queued", tone: "idle", glyph: "open" },
  APPROVED: { word: "Approved", tone: "idle", glyph: "open" },
  RUNNING: { word: "Running", tone: "busy", glyph: "turning" },
  PAUSED: { word: "Paused", tone: "wait", glyph: "paused" },
  COMPLETED: { word: "Completed", tone: "good", glyph: "done" },
  FAILED: { word: "Failed", tone: "bad", glyph: "failed" },
  CANCELLED: { word: "Cancelled", tone: "idle", glyph: "cancelled" },
};

const STEP_LOOKS: Readonly<Record<string, Look>> = {
  NOT_STARTED: { word: "Not started", tone: "idle", glyph: "open" },
  PENDING: { word: "Pending", tone: "idle", glyph: "open" },
  RUNNING: { word: "Running", tone: "busy", glyph: "turning" },
  WAITING: { word: "Waiting", tone: "wait", glyph: "waiting" },
  RETRYING: { word: "Will retry", tone: "wait", glyph: "again" },
  SUCCESS: { word: "Succeeded", tone: "good", glyph: "done" },
  FAILED: { word: "Failed", tone: "bad", glyph: "failed" },
  SKIPPED: { word: "Skipped", tone: "idle", glyph: "skipped" },
};

/** It has not begun, and it is not its turn that it waits for. */
const WAITING: Look = { word: "Waiting", tone: "wait", glyph: "waiting" };

const UNKNOWN: Look = { word: "Unknown", tone: "idle", glyph: "open" };

export function runLook(status: string): Look {
  return RUN_LOOKS[status] ?? { ...UNKNOWN, word: status };
}

export function stepLook(status: string): Look {
  return STEP_LOOKS[status] ?? { ...UNKNOWN, word: status };
}

function lookOf(of: "run" | "step", status: string): Look {
  return of === "run" ? runLook(status) : stepLook(status);
}

interface StatusProps {
  readonly of: "run" | "step";
  readonly status: string;
  /** Of a run: what it waits for; with `approval` it has not begun. */
  readonly waitsFor?: string | undefined;
  /** The word is told to whoever cannot see the shape. */
  readonly iconOnly?: boolean;
  readonly children?: ReactNode;
}

export function Status({ of, status, waitsFor, iconOnly = false, children }: StatusProps) {
  const isHeld = waitsFor === "approval";
  const { word, tone, glyph } = isHeld ? WAITING : lookOf(of, status);
  const title = isHeld ? "Waits for an approval" : iconOnly ? word : undefined;
  return (
    <span className={`status tone-${tone}`} data-status={status} title={title}>
      <Glyph name={glyph} />
      <span className={iconOnly ? "visually-hidden" : undefined}>{children ?? word}</span>
    </span>
  );
}
