import type { Command } from "commander";
import type { ComparedStep, Comparison } from "../backend/backend.js";
import { completeId } from "../backend/find-run.js";
import { withBackend } from "../backend/open-backend.js";
import { count, duration } from "../render/format.js";
import { commandLine } from "../render/next-command.js";
import type { GlobalOptions } from "../global-options.js";
import { table } from "../render/table.js";
import { printNext, paint, print, printJson } from "../render/terminal.js";

interface DiffOptions extends GlobalOptions {
  readonly all?: boolean;
}

/** Longer lists show only different steps, unless `--all` is given. */
const MAX_EQUAL_ROWS = 40;

export function addDiffCommand(program: Command): void {
  program
    .command("diff <run> <other>")
    .summary("compare two runs step by step")
    .option("--all", "show equal steps, too, even in long runs")
    .action(async (runId: string, other: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<DiffOptions>();
      const found = await withBackend(options, async (backend) =>
        backend.diff(await completeId(backend, runId), await completeId(backend, other)),
      );
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
  const input = sameInput === null ? "" : sameInput ? "same input" : paint("yellow", "different input");
  print(
    [samePlan ? "same version" : paint("yellow", "different version"), input].filter((part) => part !== "").join(", "),
  );
  print();
  const isAll = options.all === true || rows.length <= MAX_EQUAL_ROWS;
  const shown = isAll ? rows : rows.filter(({ differs }) => differs.length > 0);
  const cells = shown.map(({ stepId, one: left, other: right, differs }) => [
    `${differs.length === 0 ? " " : paint("yellow", "≠")} ${stepId}`,
    side(left),
    side(right),
    `${differs.join(", ")}${stepId === firstDifference ? paint("dim", "   first difference") : ""}`,
  ]);
  table(cells, { shrink: [0, 3], head: ["  STEP", "RUN", "OTHER", "DIFFERENCE"] }).forEach((line) => print(line));
  const more = complete ? "" : "; the rest of the steps was not compared";
  print(
    `${count(compared, "step")} compared, ${differences === 0 ? "no differences" : `${differences} different`}${more}.`,
  );
  const isFailed = (status: string) => status === "FAILED" || status === "CANCELLED";
  const failed = [one, other].find(({ status }) => isFailed(status));
  printNext(
    failed === undefined ? commandLine(options, "events", other.runId) : commandLine(options, "logs", failed.runId),
  );
}

/** `SUCCESS 2.1 s #2 TIMEOUT` */
function side(compared: ComparedStep | null): string {
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
