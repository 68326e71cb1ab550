/** Shows a status as an icon, a color and a word, never as a color alone. */
import type { ReactNode } from "react";
import { Icon, type IconName } from "./icon.js";

export type Tone = "good" | "bad" | "busy" | "wait" | "idle";

interface Look {
  readonly word: string;
  readonly tone: Tone;
  readonly icon: IconName;
}

const RUN_LOOKS: Readonly<Record<string, Look>> = {
  PENDING: { word: "Queued", tone: "idle", icon: "open" },
  APPROVED: { word: "Approved", tone: "idle", icon: "open" },
  RUNNING: { word: "Running", tone: "busy", icon: "running" },
  PAUSED: { word: "Paused", tone: "wait", icon: "paused" },
  COMPLETED: { word: "Completed", tone: "good", icon: "done" },
  FAILED: { word: "Failed", tone: "bad", icon: "failed" },
  CANCELLED: { word: "Cancelled", tone: "idle", icon: "cancelled" },
};

const STEP_LOOKS: Readonly<Record<string, Look>> = {
  NOT_STARTED: { word: "Not started", tone: "idle", icon: "open" },
  PENDING: { word: "Pending", tone: "idle", icon: "open" },
  RUNNING: { word: "Running", tone: "busy", icon: "running" },
  WAITING: { word: "Waiting", tone: "wait", icon: "waiting" },
  RETRYING: { word: "Retrying", tone: "wait", icon: "again" },
  SUCCESS: { word: "Succeeded", tone: "good", icon: "done" },
  FAILED: { word: "Failed", tone: "bad", icon: "failed" },
  SKIPPED: { word: "Skipped", tone: "idle", icon: "skipped" },
  CANCELLED: { word: "Cancelled", tone: "idle", icon: "cancelled" },
};

/** A run that has not started because it waits for approval, not for a worker. */
const NEEDS_APPROVAL: Look = { word: "Needs approval", tone: "wait", icon: "person" };

const UNKNOWN: Look = { word: "Unknown", tone: "idle", icon: "open" };

export function runLook(status: string): Look {
  return RUN_LOOKS[status] ?? { ...UNKNOWN, word: status };
}

export function stepLook(status: string): Look {
  return STEP_LOOKS[status] ?? { ...UNKNOWN, word: status };
}

/** `approval`, `timer` or `signal NAME`, in words. */
export function waitText(waitsFor: string): string {
  if (waitsFor === "approval") return NEEDS_APPROVAL.word;
  return `Waiting for ${waitsFor === "timer" ? "a timer" : waitsFor}`;
}

function lookOf(of: "run" | "step", status: string): Look {
  return of === "run" ? runLook(status) : stepLook(status);
}

interface StatusProps {
  readonly of: "run" | "step";
  readonly status: string;
  /** The `waitsFor` of a run. With `approval` the run has not started. */
  readonly waitsFor?: string | undefined;
  /** Hides the word, except from screen readers. */
  readonly iconOnly?: boolean;
  readonly children?: ReactNode;
}

export function Status({ of, status, waitsFor, iconOnly = false, children }: StatusProps) {
  const needsApproval = waitsFor === "approval";
  const { word, tone, icon } = needsApproval ? NEEDS_APPROVAL : lookOf(of, status);
  const title = iconOnly ? word : undefined;
  return (
    <span className={`status tone-${tone}`} data-status={status} title={title}>
      <Icon name={icon} />
      <span className={iconOnly ? "visually-hidden" : undefined}>{children ?? word}</span>
    </span>
  );
}
