import type { Command } from "commander";
import type { ComparedSide, Comparison } from "./desk/desk.js";
import { withDesk } from "./desk/open-desk.js";
import { count, duration } from "./format.js";
import { commandLine } from "./next-command.js";
import type { GlobalOptions } from "./session.js";
import { table } from "./table.js";
import { next, paint, print, printJson } from "./terminal.js";

interface DiffOptions extends GlobalOptions {
  readonly all?: boolean;
}

/** Of more steps, only those that differ are shown unless somebody asks. */
const FEW = 40;

export function addDiffCommand(program: Command): void {
  program
    .command("diff <run> <other>")
    .summary("show two runs side by side, and where they part")
    .option("--all", "also steps that are alike, however many there are")
    .action(async (runId: string, other: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<DiffOptions>();
      const found = await withDesk(options, (desk) => desk.diff(runId, other));
      if (options.json === true) printJson(found);
      else show(found, options);
    });
}

function show(found: Comparison, options: DiffOptions): void {
  const { one, other, sameInput, samePlan, rows, differences, compared, complete, firstDifference } = found;
  const runs = [one, other].map(({ runId, planId = "", planVersion = "", status, totalDurationMs }) => [
    runId,
    `${planId} ${planVersion}`,
    status,
    totalDurationMs === undefined ? "" : duration(totalDurationMs),
  ]);
  table(runs).forEach((line) => print(line));
  const input = sameInput === null ? "" : sameInput ? "the same input" : paint("yellow", "another input");
  print(
    [samePlan ? "the same version" : paint("yellow", "another version"), input]
      .filter((part) => part !== "")
      .join(", "),
  );
  print();
  const isAll = options.all === true || rows.length <= FEW;
  const shown = isAll ? rows : rows.filter(({ differs }) => differs.length > 0);
  const cells = shown.map(({ stepId, one: left, other: right, differs }) => [
    `${differs.length === 0 ? " " : paint("yellow", "≠")} ${stepId}`,
    side(left),
    side(right),
    `${differs.join(", ")}${stepId === firstDifference ? paint("dim", differs.length > 1 ? "   the first" : "   first") : ""}`,
  ]);
  table(cells, { shrink: [0, 3] }).forEach((line) => print(line));
  const more = complete ? "" : "; a run has more steps than are compared";
  print(`${count(compared, "step")} compared, ${differences === 0 ? "all alike" : `${differences} different`}${more}.`);
  const isFailed = (status: string) => status === "FAILED" || status === "CANCELLED";
  const culprit = [one, other].find(({ status }) => isFailed(status));
  next(
    culprit === undefined ? commandLine(options, "events", other.runId) : commandLine(options, "logs", culprit.runId),
  );
}

/** `SUCCESS 2.1 s #2 TIMEOUT` */
function side(compared: ComparedSide | null): string {
  if (compared === null) return paint("dim", "–");
  const { status, durationMs, attempts, errorCode } = compared;
  const parts = [
    status === "SUCCESS" ? paint("green", status) : status === "FAILED" ? paint("red", status) : status,
    durationMs === null ? "" : duration(durationMs),
    attempts === "1" ? "" : `#${attempts}`,
    errorCode ?? "",
  ];
  return parts.filter((part) => part !== "").join(" ");
}
