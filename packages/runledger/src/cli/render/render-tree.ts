import { isTerminal, type RunState } from "@runledger/core";
import stringWidth from "string-width";
import { duration } from "./format.js";
import { padTo } from "./table.js";
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

/**
 * Renders `nightly-orders 1.4.0   RUNNING   12.4 s   seq 41   by ann` and a line for each step. If they do not fit, it renders the
 * steps around the first unfinished one, and counts those above and below.
 */
export function renderTree(view: TreeView, maxRows = Infinity): string[] {
  const rows = treeRows(view);
  const { above, shown, below } = windowOf(rows, Math.max(1, maxRows - 1));
  const width = Math.max(0, ...shown.map(({ depth, name }) => 2 * depth + stringWidth(name)));
  return [
    header(view),
    ...countLine(above, "above"),
    ...shown.map((row) => line(row, width)),
    ...countLine(below, "below"),
  ];
}

interface Window {
  readonly above: readonly TreeRow[];
  readonly shown: readonly TreeRow[];
  readonly below: readonly TreeRow[];
}

/** Number of finished steps shown above the first unfinished one. */
const CONTEXT_ROWS = 2;

function windowOf(rows: readonly TreeRow[], room: number): Window {
  if (rows.length <= room) return { above: [], shown: rows, below: [] };
  const size = Math.max(1, room - 2); // minus the two lines that count the rest
  const unfinished = rows.findIndex(({ mark }) => mark !== "done" && mark !== "skipped");
  const wanted = unfinished === -1 ? rows.length : unfinished - CONTEXT_ROWS;
  const start = Math.max(0, Math.min(wanted, rows.length - size));
  return { above: rows.slice(0, start), shown: rows.slice(start, start + size), below: rows.slice(start + size) };
}

/** `… 4,310 above: 4,308 ✔  2 ✖` */
function countLine(rows: readonly TreeRow[], where: string): string[] {
  if (rows.length === 0) return [];
  const counts = (Object.keys(MARKS) as Mark[]).flatMap((mark) => {
    const count = rows.filter((row) => row.mark === mark).length;
    return count === 0 ? [] : [`${count.toLocaleString("en")} ${paint(MARKS[mark][1], MARKS[mark][0])}`];
  });
  return [`${paint("dim", `… ${rows.length.toLocaleString("en")} ${where}:`)} ${counts.join("  ")}`];
}

function header({ state, now }: TreeView): string {
  const { planId = state.runId, planVersion = "", startedAt, completedAt, startedBy } = state.details;
  const end = completedAt === undefined ? now : Date.parse(completedAt);
  const time = startedAt === undefined ? "" : duration(end - Date.parse(startedAt));
  const parts = [
    paint("bold", `${planId} ${planVersion}`.trim()),
    paintStatus(state),
    time,
    `seq ${state.lastEventSeq}`,
    startedBy === undefined ? "" : paint("dim", `by ${startedBy}`),
  ];
  return parts.filter((part) => part !== "").join("   ");
}

export function paintStatus({ status }: Pick<RunState, "status">): string {
  if (status === "COMPLETED") return paint("green", status);
  return paint(isTerminal(status) ? "red" : "yellow", status);
}

function line({ depth, mark, name, notes }: TreeRow, width: number): string {
  const [symbol, style] = MARKS[mark];
  const indented = padTo(`${"  ".repeat(depth)}${name}`, width);
  return `${paint(style, symbol)} ${mark === "open" ? paint("dim", indented) : indented}   ${notes().join("   ")}`.trimEnd();
}
