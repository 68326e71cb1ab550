import { isTerminal, type RunState } from "@runledger/core";
import { duration } from "./format.js";
import { paint, type Style } from "./terminal.js";
import { treeRows, type Mark, type TreeRow } from "./tree-rows.js";
import type { TreeView } from "./tree-view.js";

const MARKS: Readonly<Record<Mark, readonly [string, Style]>> = {
  done: ["✔", "green"],
  running: ["●", "cyan"],
  waiting: ["◌", "yellow"],
  open: ["○", "dim"],
  failed: ["✖", "red"],
  skipped: ["–", "dim"],
};

/** `nightly-orders 1.4.0   RUNNING   12.4 s   seq 41`, and a line for each step. */
export function renderTree(view: TreeView): string[] {
  const rows = treeRows(view);
  const width = Math.max(0, ...rows.map(({ depth, name }) => 2 * depth + name.length));
  return [header(view), ...rows.map((row) => line(row, width))];
}

function header({ state, now }: TreeView): string {
  const { planId = state.runId, planVersion = "", startedAt, completedAt } = state.details;
  const end = completedAt === undefined ? now : Date.parse(completedAt);
  const time = startedAt === undefined ? "" : duration(end - Date.parse(startedAt));
  const parts = [
    paint("bold", `${planId} ${planVersion}`.trim()),
    paintStatus(state),
    time,
    `seq ${state.lastEventSeq}`,
  ];
  return parts.filter((part) => part !== "").join("   ");
}

export function paintStatus({ status }: Pick<RunState, "status">): string {
  if (status === "COMPLETED") return paint("green", status);
  return paint(isTerminal(status) ? "red" : "yellow", status);
}

function line({ depth, mark, name, notes }: TreeRow, width: number): string {
  const [symbol, style] = MARKS[mark];
  const indented = `${"  ".repeat(depth)}${name}`.padEnd(width);
  return `${paint(style, symbol)} ${mark === "open" ? paint("dim", indented) : indented}   ${notes.join("   ")}`.trimEnd();
}
